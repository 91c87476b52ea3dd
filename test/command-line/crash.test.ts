import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxExport } from '../../src/state/store.ts'
import { warmAnalytics } from '../bench/requests.ts'
import { freePort, type StartedTarget, send, startTarget } from '../bench/target.ts'
import { event, prompt } from '../state/drafts.ts'
import { crashSeed, seededChance } from '../support/chance.ts'
import { cli } from '../support/command.ts'

/** The number of rounds; `npm run test:crash` sets 200. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2)

/** The number of rounds on one file. Later rounds use a new file, since the check of a large file takes long. */
const roundsPerFile = 10

const headers = { authorization: 'Bearer crash', 'content-type': 'application/json' }

test(
  `${rounds} rounds of kill -9 of the command under 16 clients lose no acknowledged write (seed ${crashSeed})`,
  async () => {
    const chance = seededChance(crashSeed)
    let all = 0
    // On a busy machine a kill can come before the first write.
    for (let round = 0; round < rounds || all === 0; round += roundsPerFile) {
      const folder = mkdtempSync(join(tmpdir(), 'convsim-crash-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      const path = join(folder, 'state.json')
      const acknowledged = new Set<string>()
      for (let own = round; own < Math.min(Math.max(rounds, round + 1), round + roundsPerFile); own += 1) {
        await writeAndKill(path, own, acknowledged, chance)
        await expectStored(path, acknowledged)
      }
      all += acknowledged.size
    }
  },
  240_000 + rounds * 15_000,
)

function start(path: string, port: number): Promise<StartedTarget> {
  const args = (port: number) => [cli, '--port', String(port), '--state', path]
  return startTarget({ name: 'convsim', base: '/v1', arguments: args }, port, warmAnalytics)
}

/** Lets 16 clients write until a kill breaks their connections; one time in five the process is paused before. */
async function writeAndKill(path: string, round: number, acknowledged: Set<string>, chance: () => number) {
  const server = await start(path, await freePort())
  const write = async (_: unknown, writer: number) => {
    for (let count = 0; await writeOne(server, `${round}-${writer}-${count}`, count % 8 === 7, acknowledged); )
      count += 1
  }
  const writing = Promise.all(Array.from({ length: 16 }, write))
  await sleep(chance() * 300)
  if (chance() < 0.2) {
    process.kill(server.pid, 'SIGSTOP')
    await sleep(100)
    process.kill(server.pid, 'SIGCONT')
    await sleep(50)
  }
  await server.stop('SIGKILL')
  await writing
}

/** Writes an event or a version. Resolves to false if the connection broke, so that the outcome is unknown. */
async function writeOne({ url }: StartedTarget, id: string, isVersion: boolean, acknowledged: Set<string>) {
  const [path, draft] = isVersion
    ? ['/prompts', prompt({ externalPromptId: id.slice(-8) })]
    : ['/events', event({ insertId: id })]
  const reply = await send(url, { method: 'POST', path, headers, body: JSON.stringify(draft) }).catch(() => undefined)
  if (!reply) return false
  expect(reply.status).toBe(201)
  const { eventId, versionId } = JSON.parse(reply.text)
  acknowledged.add(isVersion ? versionId : eventId)
  return true
}

async function expectStored(path: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const server = await start(path, await freePort())
  const { text } = await send(new URL(server.url).origin, { method: 'GET', path: '/__sim/export', headers })
  const { events, prompts }: SandboxExport = JSON.parse(text)
  await server.stop()
  const versions = prompts.flatMap((each) => each.versions.map(({ versionId }) => versionId))
  const stored = new Set([...events.map(({ eventId }) => eventId), ...versions])
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
  expect(new Set(events.map(({ fields }) => fields.insertId)).size, 'no event is stored twice').toBe(events.length)
}
