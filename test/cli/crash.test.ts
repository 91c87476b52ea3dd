import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { crashSeed, seededChance } from '../support/chance.ts'
import { event, prompt, textOf } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo, type RawConnection } from '../support/raw-http.ts'
import { readAllEvents, readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** `CRASH_ROUNDS=200` makes the long run of it. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 4)
const chance = seededChance(`${crashSeed} over HTTP`)
const writers = 32

/** What clients were told: ids of events by their `insertId`, and of versions by what was sent. */
interface Told {
  readonly events: Map<string, string>
  readonly versions: Map<string, string>
}

async function post(connection: RawConnection, path: string, body: Json) {
  connection.send(postText(path, body))
  const answer = await connection.answer()
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  return answer
}

/** Posts one after the other until the connection breaks, and remembers every answer. */
async function write(origin: string, name: string, told: Told): Promise<void> {
  const connection = await connectTo(origin)
  for (let step = 0; ; step += 1) {
    const own = `${name}-${step}`
    const isVersion = step % 8 === 7
    const [path, body]: [string, JsonObject] = isVersion
      ? ['/v1/prompts', prompt({ externalPromptId: name, description: own })]
      : ['/v1/events', event({ insertId: own })]
    const answer = await post(connection, path, body).catch(whereItBroke)
    if (!answer) return
    if (isVersion) told.versions.set(own, textOf(answer, 'versionId'))
    else told.events.set(own, textOf(answer, 'eventId'))
  }
}

/** A connection that breaks is what we are here for; an answer that is no success is a fault. */
function whereItBroke(error: unknown): undefined {
  if (!/the connection ended/.test(String(error))) throw error
}

async function writeUntilKilled(command: Command, round: number, told: Told): Promise<void> {
  const origin = await command.ready()
  const writing = Promise.all(
    Array.from({ length: writers }, (_, index) => write(origin, `r${round}-w${index}`, told)),
  )
  await sleep(chance() * 250)
  command.process.kill('SIGKILL')
  expect(await command.ended).toBe('SIGKILL')
  await writing
}

/** What was acknowledged and is not there, what is there twice, and an id that changed. */
async function faultsIn(origin: string, { events, versions }: Told): Promise<string[]> {
  const kept = (await readAllEvents({ origin })).map(({ fields, eventId }): [string, string] => [
    String(fields.insertId),
    eventId,
  ])
  const made = (await readPrompts({ origin })).flatMap((one) =>
    one.versions.map((version): [string, string] => {
      return [JSON.parse(JSON.stringify(version)).description, version.versionId]
    }),
  )
  return [...differences(events, kept, 'event'), ...differences(versions, made, 'version')]
}

function differences(told: ReadonlyMap<string, string>, kept: readonly [string, string][], what: string) {
  const byName = new Map(kept)
  const ids = new Set(kept.map(([, id]) => id))
  return [
    ...[...told].filter(([name, id]) => byName.get(name) !== id).map(([name]) => `${what} ${name} is lost`),
    ...(byName.size === kept.length && ids.size === kept.length ? [] : [`an ${what} is there twice`]),
  ]
}

/** So many rounds go on from one another; then a new file, lest the check takes longer than the run. */
const fileLasts = 10

async function runOnOneFile(from: number, count: number): Promise<number> {
  const state = join(await tempFolder(), 'state.json')
  const told: Told = { events: new Map(), versions: new Map() }
  const start = () => convsim(['--port', '0', '--state', state])
  let command = start()
  for (let round = from; round < from + count; round += 1) {
    await writeUntilKilled(command, round, told)
    command = start()
    expect(await faultsIn(await command.ready(), told)).toEqual([])
  }
  command.process.kill('SIGKILL')
  await command.ended
  return told.events.size + told.versions.size
}

test(
  `${rounds} rounds of kill -9 of the command under 32 clients lose nothing that was answered (seed ${crashSeed})`,
  async () => {
    let told = 0
    for (let round = 0; round < rounds; round += fileLasts)
      told += await runOnOneFile(round, Math.min(fileLasts, rounds - round))
    expect(told).toBeGreaterThan(rounds)
  },
  rounds * 15_000,
)
