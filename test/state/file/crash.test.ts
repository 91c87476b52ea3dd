import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { crashSeed, seededChance } from '../../support/chance.ts'
import { killedNow, openOrFail, statePath } from './open-file.ts'

/** `CRASH_ROUNDS=200` makes the long run of it. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 4)
const chance = seededChance(crashSeed)

/** Starts writers on the file, kills them after a while, and gives every line of what was acknowledged. */
async function runAndKill(path: string, round: number, afterMs: number): Promise<string[]> {
  const told = `${path}.told`
  const script = new URL('crash-writer.ts', import.meta.url).pathname
  const descriptor = openSync(told, 'w')
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, `r${round}`], {
    stdio: ['pipe', 'pipe', 'inherit', descriptor],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  closeSync(descriptor)
  const exit = once(child, 'exit')
  expect(String(await once(child.stdout ?? child, 'data'))).toBe('open\n')
  await sleep(afterMs)
  child.kill('SIGKILL')
  expect(await exit).toEqual([null, 'SIGKILL'])
  const lines = readFileSync(told, 'utf8').split('\n')
  rmSync(told)
  return lines.slice(0, -1)
}

interface Acknowledged {
  /** Ids by `insertId`. */
  readonly events: Map<string, string>
  readonly versions: Set<string>
}

function take({ events, versions }: Acknowledged, lines: readonly string[]): void {
  for (const line of lines) {
    const [what, name = '', id = ''] = line.split(' ')
    if (what === 'event') events.set(name, id)
    if (what === 'version') versions.add(name)
  }
}

/** What was acknowledged and is not there, and what is there twice. */
async function faultsIn(path: string, { events, versions }: Acknowledged): Promise<string[]> {
  const { store } = await openOrFail(killedNow(path)) // a copy: the next round begins where this one was killed
  const kept = (await store.listEvents('default')).events
  const prompts = await store.listPrompts('default')
  await store.close()
  const idOf = new Map(kept.map((stored) => [stored.fields.insertId, stored.eventId]))
  const ids = prompts.flatMap((prompt) => prompt.versions.map((version) => version.versionId))
  const idSet = new Set(ids)
  return [
    ...[...events].filter(([name, id]) => idOf.get(name) !== id).map(([name]) => `event ${name} is lost`),
    ...[...versions].filter((id) => !idSet.has(id)).map((id) => `version ${id} is lost`),
    ...(idOf.size === kept.length ? [] : ['an event is there twice']),
    ...(idSet.size === ids.length ? [] : ['a version is there twice']),
  ]
}

/** So many rounds go on from one another; then a new file, lest the check takes longer than the run. */
const FILE_LASTS = 10

async function runOnOneFile(from: number, count: number): Promise<number> {
  const path = statePath()
  const acknowledged: Acknowledged = { events: new Map(), versions: new Set() }
  for (let round = from; round < from + count; round += 1) {
    take(acknowledged, await runAndKill(path, round, chance() * 150))
    expect(await faultsIn(path, acknowledged)).toEqual([])
  }
  return acknowledged.events.size
}

test(
  `${rounds} rounds of kill -9 under 32 writers lose nothing that was acknowledged (seed ${crashSeed})`,
  async () => {
    let told = 0
    for (let round = 0; round < rounds; round += FILE_LASTS) {
      told += await runOnOneFile(round, Math.min(FILE_LASTS, rounds - round))
    }
    expect(told).toBeGreaterThan(rounds)
  },
  rounds * 10_000,
)
