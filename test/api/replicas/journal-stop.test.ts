import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/config/settings.ts'
import { silentLog } from '../../../src/core/log.ts'
import { ask, event } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { steer } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { start, startForTest } from '../../support/start.ts'

describeWithRedis('a replica that ends', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'by %s leaves the requests that it has answered, and the other says that none is missing',
    async (signal) => {
      const { url } = await redisForTest()
      const other = await startForTest({ state: url, clock: 'real' })
      const command = convsim(['--port', '0', '--state', url])
      const ending = { origin: await command.ready() }
      for (let count = 0; count < 20; count += 1)
        expect((await ask(ending, '/v1/events', { body: event() })).status).toBe(201)
      command.process.kill(signal)
      await command.ended
      expect(await steer(other, 'GET', '/requests?limit=1')).toMatchObject({ total: 20, truncated: false })
      const report = await steer(other, 'GET', '/report')
      expect(report).toMatchObject({ requests: 20 })
      expect(report).not.toHaveProperty('truncated')
    },
  )

  test('together with others has the requests to all in its report, and none is missing', {
    tags: ['long'],
  }, async () => {
    const { url } = await redisForTest()
    const replicas = [await open(url), await open(url)]
    const last = await open(url)
    for (const replica of [...replicas, last])
      expect((await ask(replica, '/v1/events', { body: event() })).status).toBe(201)
    const reports = replicas.map((replica) => replica.closeWithReport())
    await last.close()
    for (const { requests, truncated } of await Promise.all(reports))
      expect([requests, truncated]).toEqual([3, undefined])
  })
})

/** Starts a replica, which the test closes. */
async function open(state: string) {
  const started = await start({ ...defaultSettings(), port: 0, state }, { now: Date.now, log: silentLog })
  if (!started.ok) throw new Error(started.error[0]?.message)
  return started.value
}
