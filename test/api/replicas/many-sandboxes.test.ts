import { expect, test } from 'vitest'
import { context, event } from '../../state/drafts.ts'
import { openRedisOrFail } from '../../state/redis/open-redis.ts'
import { steer } from '../../support/control.ts'
import { fillSandboxes } from '../../support/fill-sandboxes.ts'
import { metricsOf } from '../../support/metrics.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { startForTest } from '../../support/start.ts'
import { listSandboxes } from '../../support/stored-records.ts'

const COUNT = 2000

describeWithRedis('a replica of a state with many sandboxes', () => {
  const redis = sharedRedis()

  test('lists all of them, and has no more in the process than --sandbox-limit', async () => {
    const { store } = await openRedisOrFail(redis().url, 'many')
    await store.recordEvent({ ...context, sandbox: 'first' }, event())
    await store.close()
    await fillSandboxes(redis().url, 'many', COUNT)
    const simulator = await startForTest({ state: redis().url, statePrefix: 'many', sandboxLimit: 10 })
    expect((await listSandboxes(simulator)).filter(({ events }) => events === 1)).toHaveLength(COUNT + 1)
    expect(await steer(simulator, 'GET', '/info')).toMatchObject({ state: { sandboxes: COUNT + 1 } })
    const { convsim_sandboxes: inProcess } = await metricsOf(simulator)
    expect(inProcess).toBe(10)
  })
})
