import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { crashSeed, seededChance } from '../../support/chance.ts'
import { copyAsKilled, openOrFail, statePath } from './open-file.ts'

/** The number of rounds; the long run sets `CRASH_ROUNDS=200`. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 1)
const chance = seededChance(crashSeed)

/** Starts writers on the file, kills them after some time, and returns a line for each acknowledged write. */
async function runAndKill(path: string, round: number, afterMs: number): Promise<string[]> {
  const acknowledgements = `${path}.acknowledged`
  const script = new URL('crash-writer.ts', import.meta.url).pathname
  const descriptor = openSync(acknowledgements, 'w')
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, `r${round}`], {
    stdio: ['pipe', 'pipe', 'inherit', descriptor],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  closeSync(descriptor)
  const exit = once(child, 'exit')
  expect(String(await once(child.stdout ?? child, 'data'))).toBe('open\n')
  await sleep(afterMs)
  // On a busy machine the writers may have got no time yet.
  const isEnough = () => (readFileSync(acknowledgements, 'utf8').match(/^event/gm) ?? []).length > rounds
  if (round === 0) await vi.waitUntil(isEnough, { timeout: 60_000 })
  child.kill('SIGKILL')
  expect(await exit).toEqual([null, 'SIGKILL'])
  const lines = readFileSync(acknowledgements, 'utf8').split('\n')
  rmSync(acknowledgements)
  return lines.slice(0, -1)
}

/** The writes that were acknowledged in all rounds on a file. */
interface Acknowledged {
  /** Event ids by `insertId`. */
  readonly events: Map<string, string>
  /** Version ids. */
  readonly versions: Set<string>
}

function addAcknowledged({ events, versions }: Acknowledged, lines: readonly string[]): void {
  for (const line of lines) {
    const [kind, name = '', id = ''] = line.split(' ')
    if (kind === 'event') events.set(name, id)
    if (kind === 'version') versions.add(name)
  }
}

/** Finds acknowledged writes that are lost, and records that are stored twice. */
async function faultsIn(path: string, { events, versions }: Acknowledged): Promise<string[]> {
  const { store, loaded } = await openOrFail(copyAsKilled(path)) // the next round continues the killed file
  const stored = (await store.listEvents('default')).events
  const prompts = await store.listPrompts('default')
  await store.close()
  const idOf = new Map(stored.map(({ fields, eventId }) => [fields.insertId, eventId]))
  const ids = prompts.flatMap((prompt) => prompt.versions.map((version) => version.versionId))
  const idSet = new Set(ids)
  return [
    ...[...events].filter(([name, id]) => idOf.get(name) !== id).map(([name]) => `event ${name} is lost`),
    ...[...versions].filter((id) => !idSet.has(id)).map((id) => `version ${id} is lost`),
    ...loaded.warnings.filter((warning) => !warning.includes('is cut off')),
    ...(idOf.size === stored.length ? [] : ['an event is stored twice']),
    ...(idSet.size === ids.length ? [] : ['a version is stored twice']),
  ]
}

/** The number of rounds on the same file. Later rounds use a new file, since the check of a large file takes long. */
const ROUNDS_PER_FILE = 10

async function runOnOneFile(from: number, count: number): Promise<number> {
  const path = statePath()
  const acknowledged: Acknowledged = { events: new Map(), versions: new Set() }
  for (let round = from; round < from + count; round += 1) {
    addAcknowledged(acknowledged, await runAndKill(path, round, chance() * 150))
    expect(await faultsIn(path, acknowledged)).toEqual([])
  }
  return acknowledged.events.size
}

test(
  `${rounds} rounds of kill -9 under 32 writers lose no acknowledged write (seed ${crashSeed})`,
  async () => {
    let acknowledged = 0
    for (let round = 0; round < rounds; round += ROUNDS_PER_FILE) {
      acknowledged += await runOnOneFile(round, Math.min(ROUNDS_PER_FILE, rounds - round))
    }
    expect(acknowledged).toBeGreaterThan(rounds)
  },
  240_000 + rounds * 10_000,
)
