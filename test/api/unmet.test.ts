import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { analyticsPath, call, event, objectOf } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const readUnmet = async (sandbox: string) => (await callControl(sim(), 'GET', `/report?sandbox=${sandbox}`))['unmet']

test('a rule that was never applied is reported as unmet, with the requests that the client sent', async () => {
  const sandbox = 'only-reads'
  await putRules(sim(), [{ scenario: 'unavailable', operation: 'createEvent', times: 1 }], sandbox)
  await call(sim(), analyticsPath, { sandbox })
  const sentence =
    'Rule 1 (unavailable on createEvent) was never applied: ' +
    'the client sent 1 getModelAnalytics request and no createEvent requests.'
  expect(await readUnmet(sandbox)).toEqual([{ sandbox, scope: 'sandbox', index: 0, applied: 0, sentence }])
  const verdict = await call(sim(), `/__sim/report?sandbox=${sandbox}&failOn=unmet`, { token: null })
  expect(verdict.status).toBe(417)
  await call(sim(), '/v1/events', { sandbox, body: event() })
  expect(await readUnmet(sandbox)).toEqual([])
})

const eventRule = { scenario: 'unavailable', operation: 'createEvent', times: 1 }

test.each([
  ['replaced', 'PUT', '/scenarios?sandbox=', { rules: [] }, 1],
  ['removed', 'DELETE', '/scenarios?sandbox=', undefined, 1],
  ['cleared by a reset', 'POST', '/reset?sandbox=', undefined, 0],
  ['deleted with its sandbox', 'DELETE', '/sandboxes/', undefined, undefined],
])('an unmet rule is still reported if it is %s after a request', async (change, method, path, body, expectedCount) => {
  const sandbox = `rule-${change.slice(0, 7)}`
  const remove = () => callControl(sim(), method, path + sandbox, body)
  await putRules(sim(), [eventRule, { scenario: '500', operation: 'createPrompt' }], sandbox)
  await remove() // without a request, rules that were never applied are not reported
  await putRules(sim(), [{ scenario: '500', operation: 'getModelAnalytics' }, eventRule], sandbox)
  await call(sim(), analyticsPath, { sandbox })
  await remove()
  const all = (await readUnmet('*')) as { sandbox: string; index: number }[]
  expect(all.filter((one) => one.sandbox === sandbox)).toMatchObject([{ index: 1, applied: 0 }])
  if (expectedCount !== undefined) expect(await readUnmet(sandbox)).toHaveLength(expectedCount)
})

test('an applied rule never becomes unmet, even after a restore, a clock change or deletion of requests', async () => {
  const sandbox = 'restored'
  const post = (path: string, body?: JsonObject) => callControl(sim(), 'POST', `${path}?sandbox=${sandbox}`, body)
  const snapshot = await call(sim(), `/__sim/snapshots?sandbox=${sandbox}`, { method: 'POST', token: null })
  await putRules(sim(), [eventRule], sandbox)
  await call(sim(), '/v1/events', { sandbox, body: event() })
  await post(`/snapshots/${objectOf(snapshot)['snapshotId']}/restore`)
  await post('/clock/advance', { by: '1h' })
  expect(await readUnmet(sandbox)).toEqual([])
  await call(sim(), '/v1/events', { sandbox, body: event() })
  await callControl(sim(), 'DELETE', `/requests?sandbox=${sandbox}`)
  expect(await readUnmet(sandbox)).toEqual([])
})

test('a rule that was applied fewer times than allowed is not unmet, nor is a random or disabled rule', async () => {
  const sandbox = 'breaker'
  const rules = [
    { scenario: 'unavailable', operation: 'createEvent', times: 3 },
    { scenario: 'slow;ms=1;p=0.1', operation: 'createPrompt' },
    { scenario: 'forbidden', operation: 'createPrompt', enabled: false },
  ]
  await putRules(sim(), rules, sandbox)
  await call(sim(), '/v1/events', { sandbox, body: event() })
  expect(await readUnmet(sandbox)).toEqual([])
})
