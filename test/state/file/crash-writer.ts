import { writeSync } from 'node:fs'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, prompt } from '../drafts.ts'

/**
 * A process to be killed: 32 writers that never stop, each telling what was acknowledged, a line each, in
 * the file it has as descriptor 3. Whether the state was opened it says on stdout. Arguments: the state file, and the
 * name of the round (or `hold`: only open the file and stay).
 */
const WRITERS = 32
const [path = '', round = ''] = process.argv.slice(2)

const opened = await openFileStore(path, { checkpointFrom: 20_000 })
writeSync(1, opened.ok ? 'open\n' : `refused ${opened.error}\n`)
if (opened.ok && round !== 'hold') {
  for (let index = 0; index < WRITERS; index += 1) void write(opened.value.store, index)
}
// It stays as long as the test's process does: whatever that one ends of, its end of the pipe goes with it.
process.stdin.resume().once('end', () => process.exit())

/** Straight to the kernel: what has been said stays said when the process is killed. */
function say(line: string): void {
  writeSync(3, `${line}\n`)
}

async function write(store: Store, writerNo: number): Promise<void> {
  for (let step = 0; ; step += 1) {
    const name = `${round}-${writerNo}-${step}`
    if (step % 8 === 7) {
      const { version } = await store.addPromptVersion(context, prompt({ externalPromptId: `p${writerNo}` }))
      say(`version ${version.versionId}`)
      continue
    }
    const receipt = await store.recordEvent(context, event({ insertId: name }))
    say(`event ${name} ${receipt.event.eventId}`)
    if (step % 5 === 0) await store.recordEvent(context, event({ insertId: name }))
  }
}
