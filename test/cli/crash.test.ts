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

/** The number of rounds; the long run sets `CRASH_ROUNDS=200`. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2)
const chance = seededChance(`${crashSeed} over HTTP`)
const writers = 32

/** The writes that clients got an answer to: event ids by `insertId`, and version ids by description. */
interface Acknowledged {
  readonly events: Map<string, string>
  readonly versions: Map<string, string>
}

async function post(connection: RawConnection, path: string, body: Json) {
  connection.send(postText(path, body))
  const answer = await connection.answer()
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  return answer
}

/** Posts events and prompts in sequence until the connection breaks, and records every answer. */
async function write(connection: RawConnection, name: string, acknowledged: Acknowledged): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = `${name}-${count}`
    const isVersion = count % 8 === 7
    const [path, body]: [string, JsonObject] = isVersion
      ? ['/v1/prompts', prompt({ externalPromptId: name, description: id })]
      : ['/v1/events', event({ insertId: id })]
    const answer = await post(connection, path, body).catch(ignoreEndOfConnection)
    if (!answer) return
    if (isVersion) acknowledged.versions.set(id, textOf(answer, 'versionId'))
    else acknowledged.events.set(id, textOf(answer, 'eventId'))
  }
}

/** Ignores the end of a connection, which a kill causes; rethrows any other error. */
function ignoreEndOfConnection(error: unknown): undefined {
  if (!/the connection ended/.test(String(error))) throw error
}

async function writeUntilKilled(command: Command, round: number, acknowledged: Acknowledged): Promise<void> {
  const origin = await command.ready()
  // Connected before the kill can come, since a refused connection says nothing about writes.
  const connections = await Promise.all(Array.from({ length: writers }, () => connectTo(origin)))
  const writing = Promise.all(
    connections.map((connection, index) => write(connection, `r${round}-w${index}`, acknowledged)),
  )
  await sleep(chance() * 250)
  command.process.kill('SIGKILL')
  expect(await command.ended).toBe('SIGKILL')
  await writing
}

/** Finds acknowledged writes that are lost or have another id, and records that are stored twice. */
async function faultsIn(origin: string, { events, versions }: Acknowledged): Promise<string[]> {
  const storedEvents = (await readAllEvents({ origin })).map(({ fields, eventId }): [string, string] => [
    String(fields.insertId),
    eventId,
  ])
  const storedVersions = (await readPrompts({ origin })).flatMap((prompt) =>
    prompt.versions.map((version): [string, string] => {
      return [JSON.parse(JSON.stringify(version)).description, version.versionId]
    }),
  )
  return [...differences(events, storedEvents, 'event'), ...differences(versions, storedVersions, 'version')]
}

function differences(acknowledged: ReadonlyMap<string, string>, stored: readonly [string, string][], kind: string) {
  const byName = new Map(stored)
  const ids = new Set(stored.map(([, id]) => id))
  return [
    ...[...acknowledged].filter(([name, id]) => byName.get(name) !== id).map(([name]) => `${kind} ${name} is lost`),
    ...(byName.size === stored.length && ids.size === stored.length ? [] : [`a record is stored twice: ${kind}`]),
  ]
}

/** The number of rounds on the same file. Later rounds use a new file, since the check of a large file takes long. */
const roundsPerFile = 10

async function runOnOneFile(from: number, count: number): Promise<number> {
  const state = join(await tempFolder(), 'state.json')
  const acknowledged: Acknowledged = { events: new Map(), versions: new Map() }
  const start = () => convsim(['--port', '0', '--state', state])
  let command = start()
  for (let round = from; round < from + count; round += 1) {
    await writeUntilKilled(command, round, acknowledged)
    command = start()
    expect(await faultsIn(await command.ready(), acknowledged)).toEqual([])
  }
  command.process.kill('SIGKILL')
  await command.ended
  return acknowledged.events.size + acknowledged.versions.size
}

test(
  `${rounds} rounds of kill -9 of the command under 32 clients lose no answered write (seed ${crashSeed})`,
  async () => {
    let acknowledged = 0
    for (let round = 0; round < rounds; round += roundsPerFile)
      acknowledged += await runOnOneFile(round, Math.min(roundsPerFile, rounds - round))
    expect(acknowledged).toBeGreaterThan(rounds)
  },
  rounds * 15_000,
)
