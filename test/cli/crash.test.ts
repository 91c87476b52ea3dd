import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { crashSeed, seededChance } from '../support/chance.ts'
import { event, prompt, textOf } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { postText } from '../support/pipelined.ts'
import { connectTo, type RawConnection } from '../support/raw-http.ts'
import { readAllEvents, readPrompts } from '../support/stored-records.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The number of rounds; the long run sets `CRASH_ROUNDS=200`. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2)
/** The number of rounds on the same file. Later rounds use a new file, since the check of a large file takes long. */
const roundsPerFile = 10
const chance = seededChance(`${crashSeed} over HTTP`)
const writers = 32

/** The ids of the events and prompt versions that clients got an answer to, by `insertId` or description. */
type Acknowledged = Map<string, string>

/** Posts events and prompts in sequence until the connection breaks, and records every answer. */
async function write(connection: RawConnection, name: string, acknowledged: Acknowledged): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = `${name}-${count}`
    const isVersion = count % 8 === 7
    connection.send(
      isVersion
        ? postText('/v1/prompts', prompt({ externalPromptId: name, description: id }))
        : postText('/v1/events', event({ insertId: id })),
    )
    const answer = await connection.answer().catch(ignoreEndOfConnection)
    if (!answer) return
    if (answer.status !== 201) throw new Error(`${id} was answered ${answer.status}: ${answer.text}`)
    acknowledged.set(id, textOf(answer, isVersion ? 'versionId' : 'eventId'))
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
  const writing = connections.map((connection, index) => write(connection, `r${round}-w${index}`, acknowledged))
  await sleep(chance() * 250)
  // On a busy machine the command may have got no time yet.
  if (round === 0) await vi.waitUntil(() => acknowledged.size > rounds, { timeout: 60_000 })
  expect(await command.stop('SIGKILL')).toBe('SIGKILL')
  await Promise.all(writing)
}

/** Finds acknowledged writes that are lost or have another id, and records that are stored twice. */
async function faultsIn(origin: string, acknowledged: Acknowledged): Promise<string[]> {
  const stored = [
    ...(await readAllEvents({ origin })).map(({ fields, eventId }) => [String(fields.insertId), eventId] as const),
    ...(await readPrompts({ origin })).flatMap(({ versions }) =>
      versions.map((version) => [JSON.parse(JSON.stringify(version)).description, version.versionId] as const),
    ),
  ]
  const byName = new Map(stored)
  const ids = new Set(stored.map(([, id]) => id))
  return [
    ...[...acknowledged].filter(([name, id]) => byName.get(name) !== id).map(([name]) => `${name} is lost`),
    ...(byName.size === stored.length && ids.size === stored.length ? [] : ['a record is stored twice']),
  ]
}

test(
  `${rounds} rounds of kill -9 of the command under ${writers} clients lose no answered write (seed ${crashSeed})`,
  async () => {
    let [total, state] = [0, '']
    let acknowledged: Acknowledged = new Map()
    for (let round = 0; round < rounds; round += 1) {
      if (round % roundsPerFile === 0) {
        state = join(await tempFolder(), 'state.json')
        acknowledged = new Map()
      }
      const start = () => convsim(['--port', '0', '--state', state])
      const before = acknowledged.size
      await writeUntilKilled(start(), round, acknowledged)
      total += acknowledged.size - before
      const checked = start()
      expect(await faultsIn(await checked.ready(), acknowledged)).toEqual([])
      await checked.stop('SIGKILL')
    }
    expect(total).toBeGreaterThan(rounds)
  },
  240_000 + rounds * 15_000,
)
