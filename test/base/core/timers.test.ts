import { expect, test, vi } from 'vitest'

test('timers stored by another version of the package are kept, and missing timers are added', async () => {
  const holder = globalThis as { [key: symbol]: object }
  const key = Symbol.for('conversation-analytics-simulator: timers')
  const machineNow = () => 7
  const stored = holder[key] ?? {}
  holder[key] = { machineNow }
  vi.resetModules()
  const timers = await import('../../../src/base/core/timers.ts')
  holder[key] = stored
  expect(timers.machineNow).toBe(machineNow)
  expect(timers.nextTick).toBe(process.nextTick)
})
