// @module-tag long
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/config/settings.ts'
import { silentLog } from '../../../src/core/log.ts'
import { start } from '../../../src/simulator/start.ts'
import { ask, event } from '../../support/client.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'

/** Starts a replica, which the test closes. */
async function open(state: string) {
  const started = await start({ ...defaultSettings(), port: 0, state }, { now: Date.now, log: silentLog })
  if (!started.ok) throw new Error(started.error[0]?.message)
  return started.value
}

describeWithRedis('replicas that stop at the same time', () => {
  test('have the requests to all in their reports, and say that none is missing', async () => {
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
