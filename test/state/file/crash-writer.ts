import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { openFileStore } from '../../../src/state/file/file-store.ts'
import type { Store } from '../../../src/state/store.ts'
import { context, event, prompt } from '../drafts.ts'

/**
 * A process for tests to kill: 32 writers that never stop, and print a line to descriptor 3 for each acknowledged
 * write. The outcome of opening the state goes to stdout. Arguments: the state file, and the name of the round. With
 * the round `hold` the process only opens the file and waits.
 */
const WRITERS = 32
const [path = '', round = ''] = process.argv.slice(2)

const opened = await openFileStore(path, { checkpointFrom: 20_000 })
writeSync(1, opened.ok ? 'open\n' : `refused ${opened.error}\n`)
if (opened.ok && round !== 'hold') {
  for (let index = 0; index < WRITERS; index += 1) void write(opened.value.store, index)
}
// Exits with the test's process, whose end of the pipe is closed then.
process.stdin.resume().once('end', () => process.exit())

/** Prints a line with a direct system call, so that a kill cannot lose it. */
function printAcknowledged(line: string): void {
  writeSync(3, `${line}\n`)
}

async function write(store: Store, writerNo: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    await setImmediate() // as between two requests, so that checkpoints are written meanwhile
    const name = `${round}-${writerNo}-${count}`
    if (count % 8 === 7) {
      const { version } = await store.addPromptVersion(context, prompt({ externalPromptId: `p${writerNo}` }))
      printAcknowledged(`version ${version.versionId}`)
      continue
    }
    const receipt = await store.recordEvent(context, event({ insertId: name }))
    printAcknowledged(`event ${name} ${receipt.event.eventId}`)
    if (count % 5 === 0) await store.recordEvent(context, event({ insertId: name }))
  }
}
