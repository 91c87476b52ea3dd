import { expect, test } from 'vitest'
import { isObject, type Json } from '../../../src/base/core/json.ts'
import { analyticsPath, call, event, expectRefusal } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import type { TestSimulator } from '../../support/start.ts'

const sim = sharedSimulator()

const countsIn = async (sandbox: string, target: TestSimulator = sim()) =>
  (await callControl(target, 'GET', `/scenarios?sandbox=${sandbox}`))['counts']

/** Requests the same analytics `count` times and returns the statuses. */
async function callTimes(sandbox: string, count: number, target: TestSimulator = sim()): Promise<number[]> {
  const statuses: number[] = []
  for (let number = 0; number < count; number += 1)
    statuses.push((await call(target, analyticsPath, { sandbox })).status)
  return statuses
}

test('the counts show how often each rule was applied and, if its uses are limited, how many are left', async () => {
  await putRules(sim(), [{ scenario: '429', times: 2 }, { sequence: '503, 200' }, { scenario: '404' }], 'counted')
  await callTimes('counted', 1)
  expect(await countsIn('counted')).toEqual({
    rules: [{ applied: 1, left: 1 }, { applied: 0 }, { applied: 0 }],
    startup: [],
  })
  await callTimes('counted', 4)
  expect(await countsIn('counted')).toEqual({
    rules: [{ applied: 2, left: 0 }, { applied: 3 }, { applied: 0 }],
    startup: [],
  })
})

test('a rule does not count requests that it is not applied to', async () => {
  const rules = [
    { operation: 'createEvent', scenario: '503', times: 3 },
    { scenario: '404', enabled: false },
    { scenario: '403', probability: 0 },
    { scenario: 'critical', times: 0 },
  ]
  await putRules(sim(), rules, 'spared')
  await callTimes('spared', 2)
  await call(sim(), '/v1/events', { body: event(), sandbox: 'spared', scenario: '500' })
  const counts = [{ applied: 0, left: 3 }, { applied: 0 }, { applied: 0 }, { applied: 0, left: 0 }]
  expect(await countsIn('spared')).toMatchObject({ rules: counts })
})

test('rules returned by GET can be sent back with PUT, and their counts then restart at 0', async () => {
  await putRules(sim(), [{ scenario: '429', times: 2 }], 'again')
  await callTimes('again', 2)
  const { rules } = await callControl(sim(), 'GET', '/scenarios?sandbox=again')
  await putRules(sim(), (Array.isArray(rules) ? rules : []).filter(isObject), 'again')
  expect(await countsIn('again')).toMatchObject({ rules: [{ applied: 0, left: 2 }] })
})

test('added rules come last, with their own counts, and the existing counts do not change', async () => {
  await putRules(sim(), [{ scenario: '429', times: 1 }], 'added')
  await callTimes('added', 1)
  const more = { rules: [{ scenario: '503', times: 1 }, { scenario: '404' }] }
  const added = await callControl(sim(), 'POST', '/scenarios?sandbox=added', more)
  expect(added['rules']).toMatchObject([{ scenario: '429' }, { scenario: '503' }, { scenario: '404' }])
  await callTimes('added', 2)
  expect(await countsIn('added')).toMatchObject({
    rules: [{ applied: 1, left: 0 }, { applied: 1, left: 0 }, { applied: 1 }],
  })
})

test('if one of several rules is invalid or beyond the limit, the request is refused and adds no rules', async () => {
  const add = (rules: Json) => call(sim(), '/__sim/scenarios?sandbox=refused', { token: null, body: { rules } })
  await add(Array.from({ length: 999 }, () => ({ scenario: 'slow' })))
  expectRefusal(await add([{ scenario: 'slow' }, { scenario: 'slwo' }]), 400, 'Invalid rules: body/rules/1')
  expectRefusal(await add([{ scenario: 'slow' }, { scenario: 'slow' }]), 400, 'at most 1000 rules')
  expect((await callControl(sim(), 'GET', '/scenarios?sandbox=refused'))['rules']).toHaveLength(999)
})

test('position=first adds a rule before existing rules, which keep their counts and sequence positions', async () => {
  const sandbox = 'in-front'
  const rules = [
    { scenario: '429', times: 1 },
    { sequence: '503, 404', times: 2 },
  ]
  await putRules(sim(), rules, sandbox)
  await callTimes(sandbox, 2)
  await callControl(sim(), 'POST', `/scenarios?sandbox=${sandbox}&position=first`, {
    rules: [{ scenario: '500', times: 1 }],
  })
  expect(await countsIn(sandbox)).toMatchObject({ rules: [{ applied: 0 }, { applied: 1 }, { applied: 1 }] })
  expect(await callTimes(sandbox, 3)).toEqual([500, 404, 200])
})
