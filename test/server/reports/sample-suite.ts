import { call, event, prompt } from '../../support/client.ts'
import type { TestSimulator } from '../../support/start.ts'

/** Makes six calls, which cause violations, unexpected responses, a retry problem and advice. */
export async function runSampleSuite(sim: TestSimulator): Promise<void> {
  await call(sim, '/v1/prompts', { body: prompt({ role: 'assistant', tags: ['orders'] }) })
  await call(sim, '/v1/prompts', { body: prompt({ components: [{ content: 7 }, { content: 8 }] }) })
  await call(sim, '/v1/events', { body: event({ valueType: 'currency' }), token: null })
  // The client ignores Retry-After.
  const headers = { 'x-sim-scenario': 'unavailable;retry-after=30' }
  for (const _ of [1, 2]) await call(sim, '/v1/events', { body: event({ insertId: 'order-1' }), headers })
  await call(sim, '/v1/events/<script>"&', { method: 'DELETE' })
}
