import { expect, test } from 'vitest'
import { isObject, type Json } from '../../../src/core/json.ts'
import { analyticsPath, ask, event } from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'

const sim = sharedSimulator()

const countsIn = async (sandbox: string, target: TestSimulator = sim()) =>
  (await steer(target, 'GET', `/scenarios?sandbox=${sandbox}`))['counts']

async function askTimes(sandbox: string, count: number, target: TestSimulator = sim()): Promise<void> {
  for (let asked = 0; asked < count; asked += 1)
    await ask(target, analyticsPath, { headers: { 'x-sim-sandbox': sandbox } })
}

test('each rule tells how often it acted, and how many times are left', async () => {
  await putRules(
    sim(),
    [{ scenario: '429', times: 2 }, { sequence: '503, 200' }, { scenario: '404' }],
    'counted',
  )
  await askTimes('counted', 1)
  expect(await countsIn('counted')).toEqual({
    rules: [{ acted: 1, left: 1 }, { acted: 0 }, { acted: 0 }],
    startUp: [],
  })
  await askTimes('counted', 4)
  expect(await countsIn('counted')).toEqual({
    rules: [{ acted: 2, left: 0 }, { acted: 3 }, { acted: 0 }],
    startUp: [],
  })
})

test('a rule does not count requests that it does not act on', async () => {
  const rules = [
    { operation: 'createEvent', scenario: '503', times: 3 },
    { scenario: '404', enabled: false },
    { scenario: '403', probability: 0 },
    { scenario: 'critical', times: 0 },
  ]
  await putRules(sim(), rules, 'spared')
  await askTimes('spared', 2)
  await ask(sim(), '/v1/events', {
    body: event(),
    headers: { 'x-sim-sandbox': 'spared', 'x-sim-scenario': '500' },
  })
  expect(await countsIn('spared')).toMatchObject({
    rules: [{ acted: 0, left: 3 }, { acted: 0 }, { acted: 0 }, { acted: 0, left: 0 }],
  })
})

test('the rules as GET shows them can be put again, and then count anew', async () => {
  await putRules(sim(), [{ scenario: '429', times: 2 }], 'again')
  await askTimes('again', 2)
  const { rules } = await steer(sim(), 'GET', '/scenarios?sandbox=again')
  await putRules(sim(), (Array.isArray(rules) ? rules : []).filter(isObject), 'again')
  expect(await countsIn('again')).toMatchObject({ rules: [{ acted: 0, left: 2 }] })
})

test('the rules of the start count in each sandbox apart', async () => {
  const own = await startForTest({ scenario: '429' })
  await askTimes('one', 2, own)
  await askTimes('two', 1, own)
  const acted: (Json | undefined)[] = []
  for (const sandbox of ['one', 'two', 'three']) acted.push(await countsIn(sandbox, own))
  expect(acted).toEqual([2, 1, 0].map((count) => ({ rules: [], startUp: [{ acted: count }] })))
  await steer(own, 'POST', '/reset?sandbox=one')
  expect(await countsIn('one', own)).toEqual({ rules: [], startUp: [{ acted: 0 }] })
})

test('an explanation counts for nothing', async () => {
  await putRules(sim(), [{ scenario: '429', times: 2 }], 'explained')
  const headers = { authorization: 'Bearer any-key', 'x-sim-sandbox': 'explained' }
  await steer(sim(), 'POST', '/explain', { method: 'GET', path: analyticsPath, headers })
  expect(await countsIn('explained')).toMatchObject({ rules: [{ acted: 0, left: 2 }] })
})
