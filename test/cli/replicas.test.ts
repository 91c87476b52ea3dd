// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../bench/target.ts'
import { startBalancer } from '../support/balancer.ts'
import { ask, textOf } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { steer } from '../support/control.ts'
import { describeWithRedis, redisForTest } from '../support/redis.ts'
import type { RedisServer } from '../support/redis-server.ts'

/** Milliseconds of load with kills; `npm run test:replicas` takes a minute. */
const chaosMs = Number(process.env['REPLICA_SECONDS'] ?? 3) * 1000
const isLong = process.env['REPLICA_SECONDS'] !== undefined
const posts = isLong ? 10_000 : 1000
const versions = isLong ? 300 : 60

const event = (insertId: string) => ({
  eventType: 'upgrade_purchased',
  productId: '6f1c1e0a-2b7d-4c55-9a35-0d6f2f0a9a01',
  value: '1',
  valueType: 'numeric',
  influence: 'neutral',
  insertId,
})

/** A replica on a port of its own. */
interface Replica {
  readonly port: number
  command: Command
}

const startReplica = (redis: RedisServer, port: number) =>
  convsim([
    '--port',
    `${port}`,
    '--state',
    redis.url,
    '--replica',
    `r${port}`,
    '--drain',
    '400ms',
    '--journal-size',
    '20000',
  ])

async function startThree(redis: RedisServer): Promise<readonly Replica[]> {
  const replicas: Replica[] = []
  for (let index = 0; index < 3; index += 1) {
    const port = await freePort()
    replicas.push({ port, command: startReplica(redis, port) })
  }
  await Promise.all(replicas.map(({ command }) => command.ready()))
  return replicas
}

/** Calls `each` for 0 to `count - 1`, on so many connections. */
async function inParallel(connections: number, count: number, each: (index: number) => Promise<void>) {
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) await each(index)
  }
  await Promise.all(Array.from({ length: connections }, work))
}

/** Starts a replica again if it has ended, and waits until it is ready. */
async function ensureRuns(replica: Replica, redis: RedisServer) {
  const { exitCode, signalCode } = replica.command.process
  if (exitCode !== null || signalCode !== null) replica.command = startReplica(redis, replica.port)
  await replica.command.ready()
}

/** Expects that a replica knows at least so many exchanges, and in a short run that it misses none. */
async function expectRecorded({ port }: Replica, answered: number) {
  const listed = await steer({ origin: `http://127.0.0.1:${port}` }, 'GET', '/requests?limit=1')
  expect(listed['recorded']).toBeGreaterThanOrEqual(answered)
  if (!isLong) expect(listed).toMatchObject({ truncated: false })
}

describeWithRedis('three processes behind a balancer', () => {
  test('are one service: one event for each insertId, one numbering, one journal', async () => {
    const redis = await redisForTest()
    const replicas = await startThree(redis)
    const balancer = await startBalancer(replicas.map(({ port }) => port))
    const ids = new Map<string, string>()
    const names = new Set<string | null>()
    await inParallel(64, posts, async (index) => {
      const insertId = `e${index % (posts / 10)}`
      const answer = await ask(balancer, '/v1/events', { body: event(insertId) })
      expect(answer.status).toBe(201)
      names.add(answer.headers.get('x-sim-replica'))
      const eventId = textOf(answer, 'eventId')
      expect(ids.get(insertId) ?? eventId).toBe(eventId)
      ids.set(insertId, eventId)
    })
    expect(names.size).toBe(3)
    expect(await steer(balancer, 'GET', '/events?limit=1')).toMatchObject({ total: posts / 10 })
    await inParallel(versions, versions, async () => {
      const prompt = { name: 'p', externalPromptId: 'p', components: [{ content: 'c' }] }
      expect((await ask(balancer, '/v1/prompts', { body: prompt })).status).toBe(201)
    })
    const { prompts } = await steer(balancer, 'GET', '/prompts')
    const [{ versions: stored } = { versions: [] }] = prompts as unknown as { versions: { version: number }[] }[]
    expect(stored.map(({ version }) => version)).toEqual(Array.from({ length: versions }, (_, index) => index + 1))
    for (const { port } of replicas) {
      const counted = await ask({ origin: `http://127.0.0.1:${port}` }, '/__sim/verify', {
        body: { operation: 'createEvent', count: { exactly: posts } },
      })
      expect([counted.status, counted.body]).toEqual([200, expect.objectContaining({ count: posts })])
    }
  })

  test('a replica that is stopped and started under load loses no request', async () => {
    const redis = await redisForTest()
    const replicas = await startThree(redis)
    const balancer = await startBalancer(replicas.map(({ port }) => port))
    let isOver = false
    let answered = 0
    const statuses = new Set<number>()
    const write = async (writer: number) => {
      for (let index = 0; !isOver; index += 1) {
        statuses.add((await ask(balancer, '/v1/events', { body: event(`${writer}-${index}`) })).status)
        answered += 1
      }
    }
    const load = Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))
    for (const replica of replicas.slice(0, 2)) {
      await sleep(200)
      replica.command.process.kill('SIGTERM')
      expect(await replica.command.ended).toBe(0)
      replica.command = startReplica(redis, replica.port)
      await replica.command.ready()
    }
    isOver = true
    await load
    expect([...statuses]).toEqual([201])
    expect(await steer(balancer, 'GET', '/events?limit=1')).toMatchObject({ total: answered })
  })

  test('replicas that are killed, and a Redis that is stopped, lose nothing acknowledged and double nothing', async () => {
    const redis = await redisForTest({ durable: true })
    const replicas = await startThree(redis)
    const balancer = await startBalancer(replicas.map(({ port }) => port))
    const acknowledged = new Map<string, string>()
    let answered = 0
    const until = Date.now() + chaosMs
    const disturb = async () => {
      for (let round = 0; Date.now() < until; round += 1) {
        const replica = replicas[round % 3]
        if (!replica) continue
        replica.command.process.kill('SIGKILL')
        await replica.command.ended
        replica.command = startReplica(redis, replica.port)
        await replica.command.ready().catch(() => undefined) // Redis may be away
        if (replica.command.process.exitCode !== null) replica.command = startReplica(redis, replica.port)
        await sleep(300)
      }
    }
    const stopRedis = async () => {
      await sleep(chaosMs / 3)
      await redis.kill()
      await sleep(isLong ? 5000 : 500)
      await redis.start()
    }
    const write = async (writer: number) => {
      for (let index = 0; Date.now() < until; index += 1) {
        const insertId = `${writer}-${index >> 1}` // each twice
        const { status, body } = await ask(balancer, '/v1/events', { body: event(insertId) })
        if (status !== 201) {
          index -= 1
          await sleep(50)
          continue
        }
        answered += 1
        const eventId = textOf({ status, body }, 'eventId')
        expect(acknowledged.get(insertId) ?? eventId).toBe(eventId)
        acknowledged.set(insertId, eventId)
      }
    }
    await Promise.all([disturb(), stopRedis(), ...Array.from({ length: 16 }, (_, index) => write(index))])
    for (const replica of replicas) await ensureRuns(replica, redis)
    while ((await ask(balancer, '/__sim/health')).status !== 200) await sleep(50)
    // A killed process may have recorded an exchange that it did not answer, and none that it answered is missing.
    for (const replica of replicas) await expectRecorded(replica, answered)
    const { events } = await steer(balancer, 'GET', '/export')
    const stored = new Map(
      (events as unknown as { eventId: string; fields: { insertId: string } }[]).map(
        ({ eventId, fields }) => [fields.insertId, eventId] as const,
      ),
    )
    expect(stored.size).toBe((events as unknown[]).length)
    for (const [insertId, eventId] of acknowledged) expect(stored.get(insertId)).toBe(eventId)
    expect(acknowledged.size).toBeGreaterThan(10)
  }, 300_000)
})
