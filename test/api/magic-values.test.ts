import { describe, expect, test } from 'vitest'
import { readAnalytics } from '../support/analytics.ts'
import { inputs } from '../support/catalogue.ts'
import { analyticsPath, call, callOperation, operations, refusalStatuses } from '../support/client.ts'
import { describeViolations } from '../support/documented.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const { keys, models, plans } = inputs.fixtures
const analyticsPlans = plans.flatMap(({ name, analytics }) => (analytics ? [name] : []))

describe.each(operations)('the fixtures’ keys for $id', (operation) => {
  test.each(keys)('$token: $about', async ({ token, plan, scenario }) => {
    const response = await callOperation(sim(), operation, { token })
    const isRefusedByPlan = plan !== undefined && operation.id === 'getModelAnalytics' && !analyticsPlans.includes(plan)
    const expected = scenario === undefined ? (isRefusedByPlan ? 403 : operation.success) : refusalStatuses[scenario]
    expect(response.status).toBe(expected)
    expect(describeViolations(operation.id, response.status, response.body)).toEqual([])
    expect(response.headers.get('x-sim-scenario')).toBe(scenario ?? null)
  })
})

describe('the fixtures’ models', () => {
  test.each(models.filter(({ scenario }) => scenario !== undefined))('$id: $about', async ({ id, scenario }) => {
    for (const spelling of [id, id.toUpperCase()]) {
      const response = await call(sim(), `/v1/models/${spelling}/analytics`)
      expect(response.status).toBe(refusalStatuses[scenario ?? ''])
      expect(describeViolations('getModelAnalytics', response.status, response.body)).toEqual([])
      expect(response.headers.get('x-sim-origin')).toBe('scenario')
    }
  })

  test.each(models.filter(({ scenario }) => scenario === undefined))('$id: $about', async ({ id, persona, shape }) => {
    const actual = await readAnalytics(sim(), id, '30d')
    if (shape === undefined && persona !== undefined) {
      const expected = await readAnalytics(sim(), id, '30d', { headers: { 'x-sim-scenario': persona } })
      expect(actual).toEqual(expected)
    }
    expect(actual.dataPoints.length).toBe(30)
  })

  test('can appear by name in recommendations', async () => {
    const { recommendations } = await readAnalytics(sim(), '00000000-0000-4000-8000-000000000001')
    expect(JSON.stringify(recommendations)).toContain('Checkout Assistant')
  })
})

test('a magic key with a letter missing gets advice, and an unrelated key does not', async () => {
  const adviceFor = async (token: string) =>
    (await call(sim(), analyticsPath, { token })).headers.get('x-sim-advice') ?? ''
  const advice = /authorization.*differs slightly from the magic key key_rate_limited/
  expect(await adviceFor('key_rate_limted')).toMatch(advice)
  expect(await adviceFor('key_of_mine')).toBe('')
})
