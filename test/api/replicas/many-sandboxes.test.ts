import { expect, test } from 'vitest'
import { context, event } from '../../state/drafts.ts'
import { openRedisOrFail } from '../../state/redis/open-redis.ts'
import { steer } from '../../support/control.ts'
import { metricsOf } from '../../support/metrics.ts'
import { describeWithRedis, sharedRedis } from '../../support/redis.ts'
import { startForTest } from '../../support/start.ts'
import { listSandboxes } from '../../support/stored-records.ts'

const COUNT = 2000

/** Copies the sandbox `first` to others, as if each had been written to. */
const COPY = `
local from = '{' .. ARGV[1] .. ':first}:'
local keys = redis.call('KEYS', from .. '*')
for number = 1, tonumber(ARGV[2]) do
  local name = 'copy-' .. number
  local tag = '{' .. ARGV[1] .. ':' .. name .. '}:'
  for _, key in ipairs(keys) do
    redis.call('COPY', key, tag .. string.sub(key, #from + 1))
  end
  local place = redis.call('INCR', '{' .. ARGV[1] .. '}:created')
  redis.call('ZADD', '{' .. ARGV[1] .. '}:sandboxes', place, '"' .. name .. '"')
end`

describeWithRedis('a replica of a state with many sandboxes', () => {
  const redis = sharedRedis()

  test('lists all of them, and has no more in the process than --sandbox-limit', async () => {
    const { store, connection, shared } = await openRedisOrFail(redis().url, 'many')
    await store.recordEvent({ ...context, sandbox: 'first' }, event())
    await connection.call('eval', COPY, 0, 'many', COUNT)
    expect(await shared.listSandboxes(2)).toEqual([`copy-${COUNT - 1}`, `copy-${COUNT}`]) // the newest
    const simulator = await startForTest({ state: redis().url, statePrefix: 'many', sandboxLimit: 10 })
    const stored = (await listSandboxes(simulator)).filter(({ events }) => events === 1)
    const copies = Array.from({ length: COUNT }, (_, index) => `copy-${index + 1}`)
    expect(stored.map(({ name }) => name)).toEqual(['first', ...copies]) // in the order of their creation
    expect(await steer(simulator, 'GET', '/info')).toMatchObject({ state: { sandboxes: COUNT + 1 } })
    const { convsim_sandboxes: inProcess } = await metricsOf(simulator)
    expect(inProcess).toBe(10)
  })
})
