import { describe, expect, test as plainTest } from 'vitest'
import { valueAt } from '../../../src/base/core/json-pointer.ts'
import { analyticsPath, call, callOperation, event, expectRefusal, objectOf, operations } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'

const sim = sharedSimulator()

let sandboxCount = 0
const test = plainTest.extend('sandbox', () => `sequence-${++sandboxCount}`)

/** Requests analytics, with `sequence` (if given) in a header, and returns the status. */
async function statusOf(sandbox: string, sequence?: string): Promise<number> {
  const headers = sequence === undefined ? {} : { 'x-sim-sequence': sequence }
  return (await call(sim(), `${analyticsPath}?period=7d`, { sandbox, headers })).status
}

async function statusesOf(count: number, ...request: [sandbox: string, sequence?: string]): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < count) statuses.push(await statusOf(...request))
  return statuses
}

const orders = [
  ['429*2, 200', [429, 429, 200, 200, 200]],
  ['429;retry-after=1*2, 503, 200', [429, 429, 503, 200, 200]],
  ['rate-limited * 3, critical', [429, 429, 429, 200]],
  ['200*2, not-found', [200, 200, 404, 404, 404]],
  ['500, 200, 500', [500, 200, 500, 500]],
] as const

test.for(orders)('the items of %j are used in order; the last is reused', async ([sequence, statuses], { sandbox }) => {
  expect(await statusesOf(statuses.length, sandbox, sequence)).toEqual(statuses)
  await putRules(sim(), [{ sequence, operation: 'getModelAnalytics' }], sandbox)
  expect(await statusesOf(statuses.length, sandbox)).toEqual(statuses)
})

test('parallel requests use each item except the last as many times as written', async ({ sandbox }) => {
  const all = Array.from({ length: 40 }, () => statusOf(sandbox, '429*7, 503*5, 404*3, 200'))
  const statuses = await Promise.all(all)
  const count = (status: number) => statuses.filter((one) => one === status).length
  expect([429, 503, 404, 200].map(count)).toEqual([7, 5, 3, 25])
})

describe('a sequence is counted separately', () => {
  test('for each operation', async ({ sandbox }) => {
    const options = { sandbox, headers: { 'x-sim-sequence': '429, 503' } }
    const statuses: number[] = []
    for (const operation of [...operations, ...operations])
      statuses.push((await callOperation(sim(), operation, options)).status)
    expect(statuses).toEqual([429, 429, 429, 503, 503, 503])
  })

  test('for each rule, even if rules have identical sequences, and for the header', async ({ sandbox }) => {
    const sequence = '429, 200'
    const rules = ['a', 'b'].map((name) => ({ sequence, match: { header: { 'x-case': name } } }))
    await putRules(sim(), rules, sandbox)
    const statuses: number[] = []
    for (const name of ['a', 'b', 'a', 'b'])
      statuses.push((await call(sim(), analyticsPath, { sandbox, headers: { 'x-case': name } })).status)
    expect(statuses).toEqual([429, 429, 200, 200])
    expect(await statusesOf(2, sandbox, sequence)).toEqual([429, 200])
    const { sequences } = await callControl(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(sequences).toMatchObject([
      { rule: { scope: 'sandbox', index: 0 }, sequence, met: 2 },
      { rule: { scope: 'sandbox', index: 1 }, sequence, met: 2 },
      { operation: 'getModelAnalytics', sequence, met: 2 },
    ])
    expect(valueAt(sequences, '/2/rule')).toBeUndefined()
  })

  test('for each PUT of rules, after which earlier sequences are no longer listed', async ({ sandbox }) => {
    for (let round = 0; round < 2; round += 1) {
      await putRules(sim(), [{ sequence: '429*2, 200' }], sandbox)
      expect(await statusesOf(3, sandbox)).toEqual([429, 429, 200])
    }
    const { sequences } = await callControl(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(sequences).toMatchObject([{ operation: 'getModelAnalytics', sequence: '429*2, 200', met: 3 }])
    expect(sequences).toHaveLength(1)
  })
})

describe('GET /__sim/sequences', () => {
  test('shows how far each sequence has advanced, and its next item', async ({ sandbox }) => {
    const path = `/sequences?sandbox=${sandbox}`
    expect(await callControl(sim(), 'GET', path)).toEqual({ sequences: [] })
    await call(sim(), '/v1/events', { body: event(), sandbox, headers: { 'x-sim-sequence': '503, 201' } })
    const items = [
      { scenario: '429;retry-after=7', times: 2 },
      { scenario: '200', times: 1 },
    ]
    const sequence = '429;retry-after=7*2, 200'
    for (const [index, position] of [0, 1, 1].entries()) {
      await statusesOf(1, sandbox, sequence)
      const progress = { met: index + 1, items, position, next: items[position]?.scenario }
      const { sequences } = await callControl(sim(), 'GET', path)
      expect(sequences).toContainEqual({ operation: 'getModelAnalytics', sequence, ...progress })
      expect(sequences).toHaveLength(2)
    }
  })

  test('shows the items of a long sequence only if the sequence is in a rule', async ({ sandbox }) => {
    const sequence = Array.from({ length: 300 }, () => '429').join(', ')
    await putRules(sim(), [{ sequence, operation: 'getModelAnalytics' }], sandbox)
    await statusesOf(1, sandbox)
    await statusesOf(1, sandbox, sequence)
    const { sequences } = await callControl(sim(), 'GET', `/sequences?sandbox=${sandbox}`)
    expect(valueAt(sequences, '/0/items')).toHaveLength(300)
    expect(valueAt(sequences, '/0/sequence')).toBe(sequence)
    expect(sequences).toMatchObject([{ position: 1 }, { sequence: expect.stringMatching(/^429, 429, .*\u2026/) }])
    expect(valueAt(sequences, '/1/items')).toBeUndefined()
  })
})

test('a sequence and a scenario in the same request both apply', async ({ sandbox }) => {
  const options = { sandbox, scenario: 'drop-field', headers: { 'x-sim-sequence': '429, 200' } }
  const first = await call(sim(), analyticsPath, options)
  const second = await call(sim(), analyticsPath, options)
  expect([first.status, second.status]).toEqual([429, 200])
  expect(Object.keys(objectOf(first))).toHaveLength(1)
  expect(second.headers.get('x-sim-damage')).toMatch(/^drop-field at/)
})

describe('a sequence is refused', () => {
  test.for<[string, RegExp]>([
    ['429*0, 200', /not an item of a sequence/],
    ['200, lost-ack', /does not apply here/],
    [`429*2, ${'2'.repeat(2000)}`, /at most 2000 characters/],
  ])('and not counted if it is %j', async ([sequence, pattern], { sandbox }) => {
    const response = await call(sim(), analyticsPath, { sandbox, headers: { 'x-sim-sequence': sequence } })
    expectRefusal(response, 400, pattern)
    expect(response.headers.get('x-sim-origin')).toBe('simulator')
    expect(await callControl(sim(), 'GET', `/sequences?sandbox=${sandbox}`)).toEqual({ sequences: [] })
  })

  test('when it reaches an item that conflicts with a scenario in the same request', async ({ sandbox }) => {
    const options = { sandbox, scenario: 'server-error', headers: { 'x-sim-sequence': '200, 429' } }
    await call(sim(), analyticsPath, options)
    expectRefusal(await call(sim(), analyticsPath, options), 400, /cannot both act/)
  })
})
