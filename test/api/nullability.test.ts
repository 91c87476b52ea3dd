import { describe, expect, test } from 'vitest'
import type { Analytics } from '../../src/service/simulation/analytics.ts'
import { analyticsFields, periods, pointFields, readAnalytics } from '../support/analytics.ts'
import { inputs } from '../support/catalogue.ts'
import { modelId } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** The fields that may be null. */
const nullable = Array.from(analyticsFields.keys()).filter((name) => analyticsFields.get(name)) as (keyof Analytics)[]
const nullableInPoint = Array.from(pointFields.keys()).filter((name) => pointFields.get(name)) as PointField[]

type PointField = keyof Analytics['dataPoints'][number]

/** `avgSafetyScore set`, `dataPoints.avgSafetyScore null`, ... */
function branchesOf(response: Analytics): string[] {
  const branch = (name: string, value: unknown) => `${name} ${value === null ? 'null' : 'set'}`
  return [
    ...nullable.map((name) => branch(name, response[name])),
    ...response.dataPoints.flatMap((point) => nullableInPoint.map((name) => branch(`dataPoints.${name}`, point[name]))),
  ]
}

const fields = [...nullable, ...nullableInPoint.map((name) => `dataPoints.${name}`)]
const allBranches = fields.flatMap((name) => [`${name} null`, `${name} set`]).sort()

const shaped = inputs.fixtures.models.filter(({ scenario }) => scenario === undefined)

test('the personas together show each nullable field with null and with a value', async () => {
  const seen = new Set<string>()
  for (const { name } of inputs.fixtures.personas) {
    for (const period of periods) {
      const how = { headers: { 'x-sim-scenario': name } }
      for (const branch of branchesOf(await readAnalytics(sim(), modelId, period, how))) seen.add(branch)
    }
  }
  expect([...seen].sort()).toEqual(allBranches)
})

describe('scenarios for nulls', () => {
  const noNull = (response: Analytics) => expect(branchesOf(response).filter((one) => / null$/.test(one))).toEqual([])
  const allNull = (response: Analytics) => {
    expect(branchesOf(response).filter((one) => / set$/.test(one))).toEqual([])
    expect([response.conversationCount, response.messageCount]).toEqual([0, 0])
  }

  test.each(periods)('no-null leaves no null in %s, for any persona', async (period) => {
    for (const { id } of shaped) {
      noNull(await readAnalytics(sim(), id, period, { headers: { 'x-sim-scenario': 'no-null' } }))
    }
  })

  test.each(periods)('all-null leaves nothing set in %s', async (period) => {
    allNull(await readAnalytics(sim(), modelId, period, { headers: { 'x-sim-scenario': 'all-null' } }))
  })

  test.each(fields)('null;fields=%s sets only this field and another one to null', async (field) => {
    const how = { headers: { 'x-sim-scenario': `no-null, null;fields=${field}|recommendations` } }
    const branches = branchesOf(await readAnalytics(sim(), modelId, '7d', how))
    const nulls = branches.filter((one) => one.endsWith(' null'))
    expect(new Set(nulls)).toEqual(new Set([`${field} null`, 'recommendations null']))
    expect(branches).not.toContain(`${field} set`)
  })
})
