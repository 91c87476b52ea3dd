import { expect, test } from 'vitest'
import { context, event } from '../../state/drafts.ts'
import { openRedisOrFail } from '../../state/redis/open-redis.ts'
import { callControl } from '../../support/control.ts'
import { metricsOf } from '../../support/metrics.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { startForTest } from '../../support/start.ts'
import { listSandboxes } from '../../support/stored-records.ts'

const COUNT = 2000

describeWithRedis('a replica with many sandboxes in the shared state', () => {
  const redis = sharedRedis()

  test('lists all sandboxes, but keeps no more of them in memory than --sandbox-limit allows', async () => {
    const { store, shared } = await openRedisOrFail(redis().url, 'many')
    const names = Array.from({ length: COUNT }, (_, index) => `sandbox-${index}`)
    await Promise.all(names.map((sandbox) => store.recordEvent({ ...context, sandbox }, event())))
    expect(await shared.listNewestSandboxes(2)).toEqual(names.slice(-2))
    const simulator = await startForTest({ state: redis().url, statePrefix: 'many', sandboxLimit: 10 })
    const stored = (await listSandboxes(simulator)).filter(({ events }) => events === 1)
    expect(stored.map(({ name }) => name)).toEqual(names) // in order of creation
    expect(await callControl(simulator, 'GET', '/info')).toMatchObject({ state: { sandboxes: COUNT } })
    const { convsim_sandboxes: inProcess } = await metricsOf(simulator)
    expect(inProcess).toBe(10)
  })
})
