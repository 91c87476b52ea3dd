import { describe, expect, test } from 'vitest'
import type { Analytics } from '../../src/service/simulation/analytics.ts'
import { analyticsFields, periods, pointFields, readAnalytics } from '../support/analytics.ts'
import { inputs } from '../support/catalogue.ts'
import { modelId } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** The nullable fields of a response and of its data points. */
const nullable = Array.from(analyticsFields.keys()).filter((name) => analyticsFields.get(name)) as (keyof Analytics)[]
const nullableInPoint = Array.from(pointFields.keys()).filter((name) => pointFields.get(name)) as PointField[]

type PointField = keyof Analytics['dataPoints'][number]

/** States whether each nullable field is null or set, for example as `dataPoints.avgSafetyScore null`. */
function branchesOf(response: Analytics): string[] {
  const branch = (name: string, value: unknown) => `${name} ${value === null ? 'null' : 'set'}`
  return [
    ...nullable.map((name) => branch(name, response[name])),
    ...response.dataPoints.flatMap((point) => nullableInPoint.map((name) => branch(`dataPoints.${name}`, point[name]))),
  ]
}

const fields = [...nullable, ...nullableInPoint.map((name) => `dataPoints.${name}`)]
const allBranches = fields.flatMap((name) => [`${name} null`, `${name} set`]).sort()

const modelsWithoutScenario = inputs.fixtures.models.filter(({ scenario }) => scenario === undefined)

test('together, the personas show each nullable field both as null and with a value', async () => {
  const seen = new Set<string>()
  for (const { name } of inputs.fixtures.personas) {
    for (const period of periods) {
      const options = { headers: { 'x-sim-scenario': name } }
      for (const branch of branchesOf(await readAnalytics(sim(), modelId, period, options))) seen.add(branch)
    }
  }
  expect([...seen].sort()).toEqual(allBranches)
})

describe('the scenario', () => {
  const expectNoNull = (body: Analytics) => expect(branchesOf(body).filter((one) => / null$/.test(one))).toEqual([])
  const expectAllNull = (body: Analytics) => {
    expect(branchesOf(body).filter((one) => / set$/.test(one))).toEqual([])
    expect([body.conversationCount, body.messageCount]).toEqual([0, 0])
  }

  test.each(periods)('no-null leaves no field null in a %s period for models without a scenario', async (period) => {
    for (const { id } of modelsWithoutScenario) {
      expectNoNull(await readAnalytics(sim(), id, period, { headers: { 'x-sim-scenario': 'no-null' } }))
    }
  })

  test.each(periods)('all-null leaves no nullable field set in a period of %s', async (period) => {
    expectAllNull(await readAnalytics(sim(), modelId, period, { headers: { 'x-sim-scenario': 'all-null' } }))
  })

  test.each(fields)('null;fields=%s|recommendations sets only the named fields to null', async (field) => {
    for (const names of [`null;fields=${field}|recommendations`, `null;fields=${field}, null;fields=recommendations`]) {
      const options = { headers: { 'x-sim-scenario': `no-null, ${names}` } }
      const branches = branchesOf(await readAnalytics(sim(), modelId, '7d', options))
      const nulls = branches.filter((one) => one.endsWith(' null'))
      expect(new Set(nulls)).toEqual(new Set([`${field} null`, 'recommendations null']))
      expect(branches).not.toContain(`${field} set`)
    }
  })
})
