import { expect, test } from 'vitest'
import { ask, event } from '../../support/client.ts'
import { convsim } from '../../support/command.ts'
import { steer } from '../../support/control.ts'
import { describeWithRedis, redisForTest } from '../../support/redis.ts'
import { startForTest } from '../../support/start.ts'

describeWithRedis('a replica that ends', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'by %s leaves the requests that it has responded, and the other says that none is missing',
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
})
