import type { TestSandbox } from 'conversation-analytics-simulator'
import { AnalyticsClient } from '../src/client.ts'

/** A model with traffic. */
export const model = '00000000-0000-4000-8000-000000000002'

/** Returns the client of a sandbox. When it waits, the clock of the sandbox advances instead, so that no test takes long. */
export function clientOf(sim: TestSandbox, apiKey = 'any-key'): AnalyticsClient {
  return new AnalyticsClient({ baseUrl: sim.baseUrl, apiKey, sleep: (ms) => sim.clock.advance(ms) })
}
