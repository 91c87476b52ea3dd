import { analyticsPath, ask, event, prompt } from '../support/client.ts'
import type { TestSimulator } from '../support/start.ts'

/** Sends the ten calls of a small suite of tests, of a client with a few faults. */
export async function runSampleSuite(sim: TestSimulator): Promise<void> {
  const scripted = (scenario: string) => ({ headers: { 'x-sim-scenario': scenario } })
  await ask(sim, `${analyticsPath}?period=7d`)
  await ask(sim, analyticsPath, scripted('empty'))
  await ask(sim, analyticsPath, scripted('not-found'))
  await ask(sim, `${analyticsPath}?period=14d`)
  await ask(sim, '/v1/prompts', { body: prompt({ tags: ['orders'], source: 'agent' }) })
  await ask(sim, '/v1/prompts', { body: prompt({ components: [{ content: 7 }, { content: 8 }] }) })
  await ask(sim, '/v1/events', { body: event({ valueType: 'currency', insertId: 'order-1' }), token: null })
  // The client ignores Retry-After, and retries without the insertId that would make the retry safe.
  await ask(sim, '/v1/events', { body: event(), ...scripted('unavailable;retry-after=30') })
  await ask(sim, '/v1/events', { body: event(), ...scripted('unavailable;retry-after=30') })
  await ask(sim, '/v1/events/<script>"&', { method: 'DELETE' })
}
