// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../bench/target.ts'
import { startBalancer } from '../support/balancer.ts'
import { call, event, textOf } from '../support/client.ts'
import { type Command, convsim } from '../support/command.ts'
import { callControl } from '../support/control.ts'
import { describeWithRedis, type RedisServer, redisForTest } from '../support/redis.ts'
import { readControl } from '../support/stored-records.ts'

/** Milliseconds for which a test kills processes under load. `npm run test:replicas` sets this to one minute. */
const chaosMs = Number(process.env['REPLICA_SECONDS'] ?? 3) * 1000

interface Replica {
  readonly port: number
  readonly origin: string
  command: Command
}

const startReplica = (redis: RedisServer, port: number) =>
  convsim([
    ...['--port', `${port}`, '--state', redis.url, '--replica', `r${port}`],
    ...['--drain', '2s', '--journal-size', '20000'],
  ])

async function startReplicasAndBalancer(redis: RedisServer) {
  const replicas: Replica[] = []
  for (let index = 0; index < 3; index += 1) {
    const port = await freePort()
    replicas.push({ port, origin: `http://127.0.0.1:${port}`, command: startReplica(redis, port) })
  }
  await Promise.all(replicas.map(({ command }) => command.ready()))
  return { replicas, balancer: await startBalancer(replicas.map(({ port }) => port)) }
}

describeWithRedis('three replicas behind a load balancer', () => {
  test('lose no requests while replicas restart one at a time under load', async () => {
    const redis = await redisForTest()
    const { replicas, balancer } = await startReplicasAndBalancer(redis)
    let isOver = false
    let responseCount = 0
    const statuses = new Set<number>()
    const write = async (_: unknown, writer: number) => {
      for (let index = 0; !isOver; index += 1) {
        const body = event({ insertId: `${writer}-${index}` })
        statuses.add((await call(balancer, '/v1/events', { body })).status)
        responseCount += 1
      }
    }
    const load = Promise.all(Array.from({ length: 16 }, write))
    for (const replica of replicas.slice(0, 2)) {
      await sleep(200)
      expect(await replica.command.stop()).toBe(0)
      replica.command = startReplica(redis, replica.port)
      await replica.command.ready()
    }
    isOver = true
    await load
    expect([...statuses]).toEqual([201])
    expect(await callControl(balancer, 'GET', '/events?limit=1')).toMatchObject({ total: responseCount })
  })

  test('lose no acknowledged write, and store no write twice, if replicas and Redis are killed', async () => {
    const redis = await redisForTest({ durable: true })
    const { replicas, balancer } = await startReplicasAndBalancer(redis)
    const acknowledged = new Map<string, string>()
    let responseCount = 0
    const until = Date.now() + chaosMs
    // A busy machine may need longer than `chaosMs` for the first writes.
    const isOver = () => Date.now() >= until && acknowledged.size > 10
    const ensureRunning = async (replica: Replica) => {
      const { exitCode, signalCode } = replica.command.process
      if (exitCode !== null || signalCode !== null) replica.command = startReplica(redis, replica.port)
    }
    const killReplicas = async () => {
      for (let round = 0; !isOver(); round += 1) {
        const replica = replicas[round % 3] as Replica
        await replica.command.stop('SIGKILL')
        await ensureRunning(replica)
        await replica.command.ready().catch(() => undefined) // Redis may be unavailable
        await ensureRunning(replica)
        await sleep(300)
      }
    }
    const restartRedis = async () => {
      await sleep(chaosMs / 3)
      await redis.kill()
      await sleep(chaosMs / 6)
      await redis.start()
    }
    const write = async (writer: number) => {
      for (let index = 0; !isOver(); ) {
        const insertId = `${writer}-${index >> 1}` // each ID is sent until two responses acknowledge it
        const response = await call(balancer, '/v1/events', { body: event({ insertId }) })
        if (response.status !== 201) {
          await sleep(50)
          continue
        }
        index += 1
        responseCount += 1
        const eventId = textOf(response, 'eventId')
        expect(acknowledged.get(insertId) ?? eventId).toBe(eventId)
        acknowledged.set(insertId, eventId)
      }
    }
    await Promise.all([killReplicas(), restartRedis(), ...Array.from({ length: 16 }, (_, index) => write(index))])
    for (const replica of replicas) {
      await ensureRunning(replica)
      await replica.command.ready()
    }
    while ((await call(balancer, '/__sim/health')).status !== 200) await sleep(50)
    // A killed process may have recorded an exchange without sending the response. However, every exchange whose
    // response was sent has been recorded.
    for (const replica of replicas) {
      const listed = await callControl(replica, 'GET', '/requests?limit=1')
      expect(listed['recorded']).toBeGreaterThanOrEqual(responseCount)
      if (responseCount < 10_000) expect(listed).toMatchObject({ truncated: false })
    }
    type Exported = { readonly eventId: string; readonly fields: { readonly insertId: string } }
    const { events } = await readControl<{ events: Exported[] }>(balancer, '/export')
    const stored = new Map(events.map(({ eventId, fields }) => [fields.insertId, eventId]))
    expect(stored.size).toBe(events.length)
    for (const [insertId, eventId] of acknowledged) expect(stored.get(insertId)).toBe(eventId)
  }, 600_000)
})
