import { createConfig, lint } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../../src/base/core/json.ts'
import { valueAt } from '../../../src/base/core/json-pointer.ts'
import { bundledContract } from '../../../src/service/fixtures/bundled.ts'
import { analyticsFields } from '../../support/analytics.ts'
import { inputs, operationOf } from '../../support/catalogue.ts'

const { contract } = inputs

const SCORES = ['ConversationQualityIndex', 'SatisfactionScore', 'GrowthScore', 'FrictionScore', 'SafetyScore']

test('Redocly finds no problems in the bundled document', async () => {
  const problems = await lint({ ref: bundledContract, config: await createConfig({ extends: ['recommended'] }) })
  expect(problems.map(({ ruleId, message, severity }) => ({ ruleId, message, severity }))).toEqual([])
})

test.each([
  { id: 'getModelAnalytics', success: 200, statuses: [200, 400, 401, 403, 404, 429, 500, 503], body: undefined },
  { id: 'createPrompt', success: 201, statuses: [201, 400, 401, 403, 404, 413, 415, 429, 500, 503], body: true },
  { id: 'createEvent', success: 201, statuses: [201, 400, 401, 403, 404, 413, 415, 429, 500, 503], body: true },
])('$id documents its statuses and requires a bearer token', ({ id, success, statuses, body }) => {
  const operation = operationOf(id)
  expect(operation).toMatchObject({ successStatus: success, statuses, security: [[{ scheme: 'Bearer' }]] })
  expect(operation.summary).not.toBe('')
  expect(operation.body).toEqual(body && { required: true, mediaTypes: ['application/json'] })
})

test('each documented status has a description, and examples that conform to its schema and x-simulated-values', () => {
  for (const operation of contract.operations) {
    for (const status of operation.statuses) {
      const name = `${operation.id} ${status}`
      expect(operation.responseDescription(status), name).not.toBe('')
      expect(operation.examples(status).length, name).toBeGreaterThan(0)
      for (const example of operation.examples(status)) {
        expect(operation.checkResponse(status, example.value), `${name} ${example.name}`).toEqual([])
        expect(operation.checkSimulatedResponse(status, example.value), `${name} ${example.name}`).toEqual([])
      }
    }
  }
})

/** Returns a body that section 3 of `docs/development/service.md` allows but that the simulator never sends. */
function unsimulatedAnalytics(): Json {
  const day = { date: '2026-01-15T10:30:00+02:00', conversationCount: 1.5, messageCount: 1e6 }
  const scores = SCORES.map((suffix, index) => [`avg${suffix}`, [87.5, -3, 5, 0, null][index] ?? null])
  const labels = ['UserSentiment', 'ChangeInUserSentiment', 'Frustration', 'Struggle', 'CommercialIntent']
  const detections = ['hallucination', 'jailbreak', 'userBias', 'modelBias', 'userToxicity', 'modelToxicity']
  const [example] = operationOf('getModelAnalytics').examples(200)
  return {
    ...(example?.value as JsonObject),
    ...Object.fromEntries(scores),
    ...Object.fromEntries(labels.map((name) => [`average${name}`, { label: 'Mixed feelings', score: 73 }])),
    ...Object.fromEntries(detections.map((name) => [`${name}Count`, { total: 2.5, percentage: 140 }])),
    recommendations: null,
    conversationCount: -1,
    messageCount: 0.5,
    averageConversationRating: 9.7,
    dataPoints: [{ ...day, ...Object.fromEntries(scores) }],
  }
}

describe('the published schemas', () => {
  test('accept values that the service description does not rule out, while x-simulated-values is stricter', () => {
    const analytics = operationOf('getModelAnalytics')
    expect(analytics.checkResponse(200, unsimulatedAnalytics())).toEqual([])
    const keywords = analytics.checkSimulatedResponse(200, unsimulatedAnalytics()).map(({ keyword }) => keyword)
    expect(new Set(keywords)).toEqual(new Set(['enum', 'maximum', 'minimum', 'type']))
    const event = operationOf('createEvent')
    expect(event.checkResponse(201, { id: 1 })).toEqual([])
    expect(event.checkSimulatedResponse(201, { id: 1 })).toHaveLength(2)
    expect(analytics.checkResponse(500, { success: false, error: '' })).toEqual([])
    expect(analytics.checkSimulatedResponse(500, { success: false, error: '' })).toHaveLength(1)
  })

  test('for analytics restrict values only where the service description does', () => {
    const analytics = JSON.stringify(operationOf('getModelAnalytics').responseSchema(200))
    const published = JSON.parse(analytics, (key, value) => (key === 'x-simulated-values' ? undefined : value))
    expect(restrictionsIn(published)).toEqual([
      '/recommendations/healthLevel enum',
      '/recommendations/recommendations/priority enum',
      '/recommendations/recommendations/category enum',
      '/recommendations/detectedIssues/severity enum',
      '/dataPoints/date format',
    ])
  })
})

/** Lists keywords that restrict values, except `type` and `required`, as `path keyword`. Expects no `integer` type. */
function restrictionsIn(schema: Json | undefined, path = ''): string[] {
  if (!isObject(schema)) return []
  const { properties, items, type, required, ...others } = schema
  expect([type].flat(), path).not.toContain('integer')
  const keywords = Object.keys(others).filter((name) => !/^(x-|description$|summary$)/.test(name))
  const inner = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
    restrictionsIn(property, `${path}/${name}`),
  )
  return [...keywords.map((name) => `${path} ${name}`), ...inner, ...restrictionsIn(items, path)]
}

test('the schema of every error status requires `success` to be false', () => {
  for (const operation of contract.operations) {
    for (const status of operation.statuses.filter((candidate) => candidate >= 400)) {
      expect(operation.checkResponse(status, { success: false, error: 'x' })).toEqual([])
      expect(operation.checkResponse(status, { success: true, error: 'x' })).toHaveLength(1)
    }
  }
})

test('the bundled document lists more than 40 assumptions, each of which ends with a period', () => {
  expect(contract.assumptions.length).toBeGreaterThan(40)
  for (const { text } of contract.assumptions) expect(text).toMatch(/^\S.{20,}\.$/s)
})

describe('the analytics in the examples', () => {
  const examples = () => operationOf('getModelAnalytics').examples(200)

  test('have totals that equal the sums of the daily counts', () => {
    for (const { name, value } of examples()) {
      for (const count of ['conversationCount', 'messageCount']) {
        const days = valueAt(value, '/dataPoints') as JsonObject[] // the example matches its schema
        const sum = days.reduce((total, day) => total + Number(day[count]), 0)
        expect(valueAt(value, `/${count}`), `${name} ${count}`).toBe(sum)
      }
    }
  })

  test('contain each nullable field at least once as null and at least once with a value', () => {
    for (const [field, isNullable] of analyticsFields) {
      if (!isNullable) continue
      const nulls = examples().filter(({ value }) => valueAt(value, `/${field}`) === null).length
      expect(nulls, field).toBeGreaterThan(0)
      expect(nulls, field).toBeLessThan(examples().length)
    }
  })
})
