import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { analyticsFields, periods, pointFields, readAnalytics } from '../support/analytics.ts'
import { ask, errorOf, modelId, objectOf } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** The fields that may be null. */
const nullable = Array.from(analyticsFields.keys()).filter((name) => analyticsFields.get(name)) as (keyof Analytics)[]
const nullableInPoint = Array.from(pointFields.keys()).filter((name) => pointFields.get(name)) as PointField[]

type PointField = keyof Analytics['dataPoints'][number]

/** `avgSafetyScore set`, `dataPoints.avgSafetyScore null`, ... */
function branchesOf(answer: Analytics): string[] {
  const branch = (name: string, value: unknown) => `${name} ${value === null ? 'null' : 'set'}`
  return [
    ...nullable.map((name) => branch(name, answer[name])),
    ...answer.dataPoints.flatMap((point) => nullableInPoint.map((name) => branch(`dataPoints.${name}`, point[name]))),
  ]
}

const allBranches = [...nullable, ...nullableInPoint.map((name) => `dataPoints.${name}`)]
  .flatMap((name) => [`${name} null`, `${name} set`])
  .sort()

interface MagicModel {
  readonly id: string
  readonly name: string
  readonly persona?: string
  readonly shape?: 'no-null' | 'all-null'
  readonly scenario?: string
}

const models: MagicModel[] = parse(readFileSync(new URL('../../fixtures/models.yaml', import.meta.url), 'utf8'))
const shaped = models.filter(({ scenario }) => scenario === undefined)

test('the document, too, lets exactly these be null', async () => {
  const answer = await ask(sim(), '/v1/models/gpt/analytics', { headers: { 'x-sim-scenario': 'null;fields=x' } })
  const listed = /Nullable: (.*)\.$/.exec(errorOf(answer))?.[1]?.split(', ')
  expect(listed?.sort()).toEqual(
    allBranches
      .map((branch) => branch.replace(/ \w+$/, ''))
      .filter(isFirst)
      .sort(),
  )
})

const isFirst = (name: string, index: number, all: readonly string[]) => all.indexOf(name) === index

test('asked for by name, the personas show each nullable field null and set', async () => {
  const personas = objectOf(await ask(sim(), '/__sim/info', { token: null }))['personas']
  if (!Array.isArray(personas) || personas.length < 6) throw new Error('hardly any personas')
  const seen = new Set<string>()
  for (const persona of personas) {
    for (const period of periods) {
      const how = { headers: { 'x-sim-scenario': String(persona) } }
      for (const branch of branchesOf(await readAnalytics(sim(), modelId, period, how))) seen.add(branch)
    }
  }
  expect([...seen].sort()).toEqual(allBranches)
})

describe('the shapes', () => {
  const noNull = (answer: Analytics) => expect(branchesOf(answer).filter((one) => / null$/.test(one))).toEqual([])
  const allNull = (answer: Analytics) => {
    expect(branchesOf(answer).filter((one) => / set$/.test(one))).toEqual([])
    expect([answer.conversationCount, answer.messageCount]).toEqual([0, 0])
  }

  test.each(periods)('no-null leaves no null in %s, for any persona', async (period) => {
    for (const { id } of shaped) {
      noNull(await readAnalytics(sim(), id, period, { headers: { 'x-sim-scenario': 'no-null' } }))
    }
  })

  test.each(periods)('all-null leaves nothing set in %s', async (period) => {
    allNull(await readAnalytics(sim(), modelId, period, { headers: { 'x-sim-scenario': 'all-null' } }))
  })

  test.each(shaped.filter(({ shape }) => shape !== undefined))('$name has its shape by its id', async (model) => {
    const answer = await readAnalytics(sim(), model.id, '90d')
    if (model.shape === 'no-null') noNull(answer)
    else allNull(answer)
  })

  test.each(allBranches.filter((branch) => branch.endsWith(' null')).map((branch) => branch.slice(0, -5)))(
    'null;fields=%s sets it to null, and nothing else',
    async (field) => {
      const how = { headers: { 'x-sim-scenario': `no-null, null;fields=${field}` } }
      const answer = await readAnalytics(sim(), modelId, '7d', how)
      const nulls = branchesOf(answer).filter((one) => one.endsWith(' null'))
      expect(new Set(nulls)).toEqual(new Set([`${field} null`]))
      expect(branchesOf(answer)).not.toContain(`${field} set`)
    },
  )

  test('null takes several fields', async () => {
    const fields = 'recommendations|dataPoints.avgSafetyScore|averageStruggle'
    const how = { headers: { 'x-sim-scenario': `no-null, null;fields=${fields}` } }
    const nulls = branchesOf(await readAnalytics(sim(), modelId, '7d', how)).filter((one) => / null$/.test(one))
    expect([...new Set(nulls)].sort()).toEqual(
      fields
        .split('|')
        .map((field) => `${field} null`)
        .sort(),
    )
  })
})

test('a persona asked for is that persona, and the same for every request', async () => {
  const how = { headers: { 'x-sim-scenario': 'critical' } }
  const [one, two] = await Promise.all([1, 2].map(() => readAnalytics(sim(), modelId, '30d', how)))
  expect(one).toEqual(two)
  expect(one?.recommendations?.healthLevel).toBe('critical')
})
