import { execFileSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { ask, analyticsPath as path } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { describeWithRedis, redisForTest, sharedRedis } from '../../support/redis.ts'
import type { RedisServer } from '../../support/redis-server.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { startReplicas } from './start-replicas.ts'

const operation = 'getModelAnalytics'

const inSandbox = (name: string) => ({ headers: { 'x-sim-sandbox': name } })

const redisCli = ({ port }: RedisServer, ...args: string[]) =>
  execFileSync('redis-cli', ['-p', `${port}`, ...args], { encoding: 'utf8' }).trim()

/** Sends more requests than the journal stores. */
async function overflow(target: { readonly origin: string }): Promise<void> {
  for (let index = 0; index < 1100; index += 100)
    await Promise.all(Array.from({ length: 100 }, () => ask(target, path, inSandbox('load'))))
}

describeWithRedis('exchanges that are trimmed before a replica reads them', { tags: ['long'] }, () => {
  const redis = sharedRedis()

  test('the newest request counts, however many another replica had', async () => {
    const [one, two, three] = await startReplicas(redis(), { journalSize: 1000 })
    await overflow(one)
    await ask(two, path, inSandbox('fresh'))
    for (const replica of [one, two, three])
      expect(await ask(replica, '/__sim/verify?sandbox=fresh', { body: { operation } })).toMatchObject({
        status: 200,
        body: { satisfied: true, count: 1, truncated: false },
      })
  })

  test('a sandbox whose exchanges are lost is incomplete until it is cleared, and no other is', async () => {
    const [one, two] = await startReplicas(redis(), { journalSize: 1000 })
    await overflow(one)
    await ask(two, path, inSandbox('after'))
    for (const replica of [one, two])
      for (const [name, truncated] of [
        ['load', true],
        ['after', false],
        ['*', true],
      ])
        expect(await steer(replica, 'GET', `/requests?sandbox=${name}&limit=1`)).toMatchObject({ truncated })
    await steer(two, 'DELETE', '/requests?sandbox=load')
    for (const name of ['load', '*'])
      expect(await steer(one, 'GET', `/requests?sandbox=${name}`)).toMatchObject({ truncated: false })
  })
})

describeWithRedis('exchanges in a Redis that loses its memory', () => {
  const startAgain = async (redis: RedisServer, replicas: readonly TestSimulator[]) => {
    await redis.start()
    for (const replica of replicas)
      await vi.waitFor(async () => expect((await ask(replica, '/__sim/health')).status).toBe(200), 10_000)
  }
  const verify = async (target: TestSimulator, sandbox: string) =>
    (await ask(target, `/__sim/verify?sandbox=${sandbox}`, { body: { operation } })).body

  test('are known to be lost, and later ones count, also if there are as many', async () => {
    const redis = await redisForTest()
    const replicas = await startReplicas(redis)
    for (let index = 0; index < 3; index += 1) await ask(replicas[1], path, inSandbox('first'))
    expect(await verify(replicas[0], 'first')).toMatchObject({ count: 3, truncated: false })
    await redis.kill()
    await startAgain(redis, replicas)
    for (let index = 0; index < 3; index += 1) await ask(replicas[1], path, inSandbox('second'))
    for (const replica of replicas) {
      expect(await verify(replica, 'second')).toMatchObject({ count: 3 })
      expect(await steer(replica, 'GET', '/requests?sandbox=first')).toMatchObject({ truncated: true })
    }
  })

  test('are known to be lost if their replica ends meanwhile', async () => {
    const redis = await redisForTest()
    const [one, two, three] = await startReplicas(redis)
    await ask(one, path, inSandbox('both'))
    await ask(three, path, inSandbox('both'))
    await redis.kill()
    await three.close()
    await startAgain(redis, [one, two])
    for (const replica of [one, two]) expect(await verify(replica, 'both')).toMatchObject({ count: 0, truncated: true })
  })

  test('count for a replica that starts later, too', async () => {
    const redis = await redisForTest()
    const statePrefix = 'flushed'
    const replicas = await startReplicas(redis, { statePrefix })
    for (const replica of replicas) await ask(replica, path, inSandbox('first'))
    expect(await verify(replicas[0], 'first')).toMatchObject({ count: 3, truncated: false })
    redisCli(redis, 'flushall')
    for (const replica of replicas) // each appends that exchanges are lost
      expect(await steer(replica, 'GET', '/requests?sandbox=first')).toMatchObject({ truncated: true })
    const late = await startForTest({ state: redis.url, statePrefix, replica: 'late', clock: 'real' })
    for (const name of ['first', 'second']) await ask(late, path, inSandbox(name))
    expect(await verify(late, 'first')).toMatchObject({ count: 1, truncated: true })
    expect(await verify(late, 'second')).toMatchObject({ count: 1, truncated: false })
  })
})
