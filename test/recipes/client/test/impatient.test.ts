import { expect, test } from 'conversation-analytics-simulator/vitest'
import { AnalyticsClient } from '../src/client.ts'
import { model } from './client-of.ts'

test('an impatient client gets its figures', async ({ sim }) => {
  await sim.scenario('rate-limited', { 'retry-after': 20 }, { times: 1 })
  const client = new AnalyticsClient({ baseUrl: sim.baseUrl, apiKey: 'any-key', sleep: async () => {} })
  expect((await client.readFigures(model)).conversations).toBeGreaterThan(0)
})
