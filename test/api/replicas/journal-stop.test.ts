import { expect, test } from 'vitest'
import { ask } from '../../support/client.ts'
import { steer } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { startReplicas } from './start-replicas.ts'

const path = '/v1/models/5b7a1c52-0f0e-4d5e-9a9b-3f1f2a7c0001/analytics?period=7d'

describeWithRedis('a replica that stops', () => {
  test('makes the others say that requests are missing, if it could not send all of them', async () => {
    const redis = await redisForTest()
    const [one, two, three] = await startReplicas(redis)
    for (let index = 0; index < 300; index += 1) await ask(two, path) // more than one message
    redis.pause()
    await two.close()
    redis.resume()
    for (const replica of [one, three])
      await expect.poll(async () => (await ask(replica, '/readyz')).status, { timeout: 30_000 }).toBe(200)
    expect(await steer(one, 'GET', '/requests?limit=1')).toMatchObject({ truncated: true })
    expect(two.logged).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('could not be sent to the other replicas'),
      fields: { reason: expect.any(String) },
    })
  })
})
