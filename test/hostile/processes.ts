import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxExport } from '../../src/state/store.ts'
import { warmAnalytics } from '../bench/requests.ts'
import { freePort, type StartedTarget, send, startTarget } from '../bench/target.ts'
import { event, prompt } from '../state/drafts.ts'
import { type Chance, cli, type Numbers } from './trial.ts'

/** The number of rounds that use the same state file. Checking a larger file would take too long. */
const ROUNDS_PER_FILE = 10

/** The number of clients that write to a server concurrently. */
const WRITERS = 16

export const processKinds = ['kill', 'stop', 'second writer', 'full disk'] as const

const headers = { authorization: 'Bearer hostile', 'content-type': 'application/json' }

/** Creates a trial that stops a server, starts a second one or fills the disk. Acknowledged writes must survive. */
export function createProcessTrial(chance: Chance, numbers: Numbers) {
  const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
  let file = ''
  /** The IDs of the events and prompt versions whose writes were acknowledged. */
  let acknowledged = new Set<string>()
  let round = 0

  /** Runs one round. After a restart, checks that no acknowledged write was lost and no event was stored twice. */
  async function run(kind: (typeof processKinds)[number]): Promise<void> {
    if (round % ROUNDS_PER_FILE === 0) startNewFile()
    round += 1
    const server = await startOrReplaceFile()
    if (kind === 'second writer') await addSecondServer(server)
    else await writeUntilStopped(server, kind)
    await check(kind)
  }

  async function writeUntilStopped(server: StartedTarget, kind: 'kill' | 'stop' | 'full disk'): Promise<void> {
    const writers = write(server, 'only')
    await sleep(chance() * 300)
    if (chance() < 0.2) await pause(server)
    if (kind === 'full disk') await fillDisk(server)
    numbers.add(kind === 'stop' ? 'stops' : 'kills')
    const outcome = await server.stop(kind === 'stop' ? 'SIGTERM' : 'SIGKILL')
    if (kind === 'stop' && outcome !== 0) numbers.fail(`a stopped server exited with ${outcome}`)
    await writers.end()
  }

  async function pause({ pid }: StartedTarget): Promise<void> {
    numbers.add('pauses')
    process.kill(pid, 'SIGSTOP')
    await sleep(100)
    process.kill(pid, 'SIGCONT')
    await sleep(50)
  }

  /** Simulates a full disk by limiting file sizes to just above the largest one. Sometimes lifts this limit later. */
  async function fillDisk({ pid }: StartedTarget): Promise<void> {
    if (!hasPrlimit) return
    numbers.add('full disks')
    const folder = dirname(file)
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
    const limit = (bytes: number | 'unlimited') => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
    limit(Math.max(...sizes) + 50)
    await sleep(100)
    if (chance() < 0.5) limit('unlimited')
    await sleep(50)
  }

  /** Usually deletes the lock. Tries to start a second server with the same file. Writes to each running server. */
  async function addSecondServer(first: StartedTarget): Promise<void> {
    numbers.add('second writers')
    const writers = [write(first, 'first')]
    await sleep(chance() * 200)
    if (chance() < 0.8) rmSync(`${file}.lock`, { force: true })
    const second = await start().catch(() => undefined)
    if (second) writers.push(write(second, 'second'))
    else numbers.add('second writers refused')
    await sleep(200)
    for (const { end } of writers) await end()
    for (const server of second ? [first, second] : [first]) await server.stop(chance() < 0.5 ? 'SIGKILL' : 'SIGTERM')
  }

  /** Starts clients that write until `end` is called or their connection breaks. Records the acknowledged writes. */
  function write(server: StartedTarget, name: string): { end: () => Promise<void> } {
    let isOver = false
    const runWriter = async (_: unknown, writer: number) => {
      for (let count = 0; !isOver; count += 1)
        if (!(await writeOne(server, `${round}-${name}-${writer}-${count}`, count % 8 === 7))) return
    }
    const allWriters = Promise.all(Array.from({ length: WRITERS }, runWriter))
    return {
      async end() {
        isOver = true
        await allWriters
      },
    }
  }

  /** Writes an event or a prompt version. Returns false if the connection broke, which leaves the outcome unknown. */
  async function writeOne({ url }: StartedTarget, id: string, isVersion: boolean): Promise<boolean> {
    const [path, draft] = isVersion
      ? ['/prompts', prompt({ externalPromptId: id.slice(-8) })]
      : ['/events', event({ insertId: id })]
    const request = { method: 'POST', path, headers, body: JSON.stringify(draft) }
    const reply = await send(url, request).catch(() => undefined)
    numbers.add('requests')
    if (!reply) return false
    const { eventId, versionId } = JSON.parse(reply.text)
    if (reply.status === 201) acknowledged.add(isVersion ? versionId : eventId)
    numbers.add(reply.status === 201 ? 'acknowledged writes' : `responses with ${reply.status}`)
    return true
  }

  async function check(kind: string): Promise<void> {
    const server = await startOrReplaceFile()
    const { origin } = new URL(server.url)
    const { text } = await send(origin, { method: 'GET', path: '/__sim/export', headers })
    const { events, prompts }: SandboxExport = JSON.parse(text)
    const versions = prompts.flatMap((each) => each.versions.map(({ versionId }) => versionId))
    const stored = new Set([...events.map(({ eventId }) => eventId), ...versions])
    const lost = [...acknowledged].filter((id) => !stored.has(id))
    const insertIds = new Set(events.map(({ fields }) => fields.insertId))
    if (lost.length > 0) numbers.fail(`${kind}: lost acknowledged writes: ${lost.length} (first: ${lost[0]})`)
    if (insertIds.size < events.length) numbers.fail(`${kind}: an event was stored twice`)
    await server.stop()
    if (lost.length > 0) startNewFile()
  }

  async function start(): Promise<StartedTarget> {
    const args = (port: number) => [cli, '--port', String(port), '--state', file]
    return startTarget({ name: 'convsim', base: '/v1', arguments: args }, await freePort(), warmAnalytics)
  }

  async function startOrReplaceFile(): Promise<StartedTarget> {
    const outcome = await start().catch((error: unknown) => String(error))
    if (typeof outcome !== 'string') return outcome
    numbers.fail(`the server did not start: ${outcome}`)
    startNewFile()
    return startOrReplaceFile()
  }

  function startNewFile(): void {
    close()
    file = join(mkdtempSync(join(tmpdir(), 'convsim-hostile-')), 'state.json')
    acknowledged = new Set()
  }

  function close(): void {
    if (file !== '') rmSync(dirname(file), { recursive: true, force: true })
  }

  return { run, close }
}
