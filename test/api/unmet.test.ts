import { expect, test } from 'vitest'
import { analyticsPath, ask, event } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const readUnmet = async (sandbox: string) => (await steer(sim(), 'GET', `/report?sandbox=${sandbox}`))['unmet']

test('a rule that never acted is a finding that says what came instead', async () => {
  const sandbox = 'only-reads'
  await putRules(sim(), [{ scenario: 'unavailable', operation: 'createEvent', times: 1 }], sandbox)
  await ask(sim(), analyticsPath, { sandbox })
  const sentence =
    'Rule 1 (unavailable on createEvent) never acted: the client sent 1 getModelAnalytics and no createEvent.'
  expect(await readUnmet(sandbox)).toEqual([{ sandbox, scope: 'sandbox', index: 0, acted: 0, sentence }])
  const gated = await ask(sim(), `/__sim/report?sandbox=${sandbox}&failOn=unmet`, { token: null })
  expect(gated.status).toBe(417)
  await ask(sim(), '/v1/events', { sandbox, body: event() })
  expect(await readUnmet(sandbox)).toEqual([])
})

test('a rule that acted less often than its times is none, nor is one by chance or one that is off', async () => {
  const sandbox = 'breaker'
  const rules = [
    { scenario: 'unavailable', operation: 'createEvent', times: 3 },
    { scenario: 'slow;ms=1;p=0.1', operation: 'createPrompt' },
    { scenario: 'forbidden', operation: 'createPrompt', enabled: false },
  ]
  await putRules(sim(), rules, sandbox)
  await ask(sim(), '/v1/events', { sandbox, body: event() })
  expect(await readUnmet(sandbox)).toEqual([])
})
