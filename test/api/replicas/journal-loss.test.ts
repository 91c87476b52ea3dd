import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { call, event, analyticsPath as path } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { callControl } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { startReplicas } from './start-replicas.ts'

const operation = 'getModelAnalytics'

const inSandbox = (name: string) => ({ headers: { 'x-sim-sandbox': name } })

describeWithRedis('exchanges stored in a Redis server that loses its data', () => {
  const verify = async (target: TestSimulator, sandbox: string) =>
    (await call(target, `/__sim/verify?sandbox=${sandbox}`, { body: { operation } })).body

  test('are reported as lost, and are not confused with the same number of later exchanges', async () => {
    const redis = await redisForTest()
    const replicas = await startReplicas(redis)
    for (let index = 0; index < 3; index += 1) await call(replicas[1], path, inSandbox('first'))
    expect(await verify(replicas[0], 'first')).toMatchObject({ count: 3, truncated: false })
    await redis.kill()
    await redis.start()
    for (const replica of replicas)
      await expect.poll(async () => (await call(replica, '/__sim/health')).status).toBe(200)
    for (let index = 0; index < 3; index += 1) await call(replicas[1], path, inSandbox('second'))
    for (const replica of replicas) {
      expect(await verify(replica, 'second')).toMatchObject({ count: 3 })
      expect(await callControl(replica, 'GET', '/requests?sandbox=first')).toMatchObject({ truncated: true })
    }
  })

  test('are also reported as lost by a replica that starts later', async () => {
    const redis = await redisForTest()
    const statePrefix = 'flushed'
    const replicas = await startReplicas(redis, { statePrefix })
    for (const replica of replicas) await call(replica, path, inSandbox('first'))
    expect(await verify(replicas[0], 'first')).toMatchObject({ count: 3, truncated: false })
    execFileSync('redis-cli', ['-p', `${redis.port}`, 'flushall'])
    for (const replica of replicas) // this makes each replica record the loss in the new journal
      expect(await callControl(replica, 'GET', '/requests?sandbox=first')).toMatchObject({ truncated: true })
    const late = await startForTest({ state: redis.url, statePrefix, replica: 'late', clock: 'real' })
    for (const name of ['first', 'second']) await call(late, path, inSandbox(name))
    expect(await verify(late, 'first')).toMatchObject({ count: 1, truncated: true })
    expect(await verify(late, 'second')).toMatchObject({ count: 1, truncated: false })
  })
})

describeWithRedis('the requests to a replica', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'stopped by %s stay in the journal, and another replica reports none as lost',
    async (signal) => {
      const { url } = await redisForTest()
      const other = await startForTest({ state: url, clock: 'real' })
      const command = convsim(['--port', '0', '--state', url])
      const stopping = { origin: await command.ready() }
      for (let count = 0; count < 20; count += 1)
        expect((await call(stopping, '/v1/events', { body: event() })).status).toBe(201)
      command.process.kill(signal)
      await command.ended
      expect(await callControl(other, 'GET', '/requests?limit=1')).toMatchObject({ total: 20, truncated: false })
      const report = await callControl(other, 'GET', '/report')
      expect(report).toMatchObject({ requests: 20 })
      expect(report).not.toHaveProperty('truncated')
    },
  )
})
