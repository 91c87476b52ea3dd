import { faker } from '@faker-js/faker/locale/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Analytics, AnalyticsQuery, DataPoint } from '../../../src/service/simulation/analytics.ts'
import {
  DETECTION_FIELDS,
  drawPersona,
  LABEL_FIELDS,
  SCORE_FIELDS,
  type ScoreField,
} from '../../../src/service/simulation/persona.ts'
import { LABEL_BANDS } from '../../../src/service/simulation/simulation.ts'
import { fixtures, now, periods, simulate, unlistedModel } from './bundled-simulation.ts'

const personaNames = fixtures.personas.map(({ name }) => name)

/** Returns the analytics of a model that is not in the fixtures. */
const analyticsOf = (index: number, days: number, more: Partial<AnalyticsQuery> = {}) =>
  simulate({ seed: '1', modelId: unlistedModel(index), days, now, ...more })

const sum = (points: readonly DataPoint[], field: 'conversationCount' | 'messageCount') =>
  points.reduce((total, point) => total + point[field], 0)

/** Returns a field's average, weighted by conversations, or null if there are no conversations. */
function weightedAverage(points: readonly DataPoint[], field: ScoreField): number | null {
  const active = points.filter((point) => point.conversationCount > 0)
  if (active.length === 0) return null
  const total = active.reduce((all, point) => all + (point[field] ?? Number.NaN) * point.conversationCount, 0)
  return total / sum(active, 'conversationCount')
}

function expectToAddUp(response: Analytics): void {
  const { dataPoints } = response
  expect(response.conversationCount).toBe(sum(dataPoints, 'conversationCount'))
  expect(response.messageCount).toBe(sum(dataPoints, 'messageCount'))
  for (const field of SCORE_FIELDS) {
    const average = weightedAverage(dataPoints, field)
    if (average === null) expect(response[field]).toBeNull()
    else expect(Math.abs((response[field] ?? Number.NaN) - average)).toBeLessThanOrEqual(0.00005 + 1e-9)
  }
  for (const field of DETECTION_FIELDS) {
    const count = response[field]
    if (!count) continue
    expect(Number.isInteger(count.total)).toBe(true)
    expect(count.total).toBeLessThanOrEqual(response.messageCount)
    expect(count.percentage).toBe(Math.round((count.total / response.messageCount) * 100 * 100) / 100)
  }
}

/** Expects scores with at most four decimal places, and at least two messages per conversation. */
function expectPlausible(response: Analytics): void {
  for (const point of [response, ...response.dataPoints]) {
    for (const field of SCORE_FIELDS) {
      const value = point[field]
      if (value !== null) expect(Number(value.toFixed(4))).toBe(value)
    }
    if (point.conversationCount > 0) {
      expect(point.messageCount).toBeGreaterThanOrEqual(2 * point.conversationCount)
    } else expect(point.messageCount).toBe(0)
  }
}

describe('for 20 models and each period,', () => {
  const responses = Array.from({ length: 20 }, (_, index) => periods.map((days) => analyticsOf(index, days))).flat()

  test('the totals match the data points, and scores have at most four decimal places', () => {
    for (const response of responses) {
      expectToAddUp(response)
      expectPlausible(response)
    }
  })

  test('a day has scores if and only if it has conversations', () => {
    for (const point of responses.flatMap(({ dataPoints }) => dataPoints))
      for (const field of SCORE_FIELDS) expect(point[field] === null).toBe(point.conversationCount === 0)
  })

  test.each(LABEL_FIELDS)('the label of %s matches its score', (field) => {
    for (const { label, score } of responses.flatMap((response) => response[field] ?? [])) {
      const index = LABEL_BANDS[field].findIndex((band) => band.label === label)
      const start = LABEL_BANDS[field][index - 1]?.end ?? -1
      expect(score).toBeGreaterThanOrEqual(start)
      expect(score).toBeLessThanOrEqual(LABEL_BANDS[field][index]?.end ?? Number.NaN)
    }
  })
})

test('the values for a day do not depend on the time of the query', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1970-01-01'), max: new Date('2100-12-31'), noInvalidDate: true }),
      fc.integer({ min: 0, max: 89 }),
      fc.constantFrom(...personaNames),
      (date, daysLater, persona) => {
        const first = analyticsOf(1, 90, { persona, now: date.getTime() }).dataPoints
        const second = analyticsOf(1, 90, { persona, now: date.getTime() + daysLater * 86_400_000 }).dataPoints
        expect(second.slice(0, 90 - daysLater)).toEqual(first.slice(daysLater))
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  ['1970-01-01T00:00:00.000Z', '1969-12-26', '1970-01-01'],
  ['2025-01-03T23:59:59.999Z', '2024-12-28', '2025-01-03'],
  ['2024-03-01T00:00:00.000Z', '2024-02-24', '2024-03-01'],
  ['2100-01-01T00:00:00.000Z', '2099-12-26', '2100-01-01'],
])('at %s, the last 7 days are the days from %s to %s', (at, first, last) => {
  const { dataPoints } = analyticsOf(1, 7, { now: Date.parse(at) })
  expect(dataPoints.map(({ date }) => date)).toEqual(
    Array.from({ length: 7 }, (_, index) =>
      new Date(Date.parse(`${first}T00:00:00.000Z`) + index * 86_400_000).toISOString(),
    ),
  )
  expect(dataPoints.at(-1)?.date).toBe(`${last}T00:00:00.000Z`)
})

test('conversation quality is close to a weighted average of the other scores', () => {
  for (const persona of personaNames) {
    for (const point of analyticsOf(1, 90, { persona }).dataPoints) {
      const { avgSatisfactionScore, avgGrowthScore, avgFrictionScore, avgSafetyScore } = point
      if (point.avgConversationQualityIndex === null) continue
      const blend =
        0.4 * (avgSatisfactionScore ?? 0) +
        0.15 * (avgGrowthScore ?? 0) +
        0.2 * (1 - (avgFrictionScore ?? 0)) +
        0.25 * (avgSafetyScore ?? 0)
      expect(Math.abs(point.avgConversationQualityIndex - blend)).toBeLessThan(0.0151)
    }
  }
})

test('the simulation and other code that uses faker do not affect each other', () => {
  const before = analyticsOf(1, 30)
  faker.seed(7)
  const expected = faker.number.int()
  faker.seed(7)
  const between = analyticsOf(1, 30)
  expect(faker.number.int()).toBe(expected)
  expect(between).toEqual(before)
})

test('personas are drawn in proportion to their weights', () => {
  const { personas } = fixtures
  const drawn = Array.from({ length: 2000 }, (_, index) => drawPersona(personas, '1', unlistedModel(index)).name)
  const shareOf = (name: string) => drawn.filter((each) => each === name).length / drawn.length
  const total = personas.reduce((sum, { weight }) => sum + weight, 0)
  for (const { name, weight } of personas) expect(shareOf(name), name).toBeCloseTo(weight / total, 1)
  const weighted = personas.filter(({ weight }) => weight > 0)
  expect(new Set(drawn)).toEqual(new Set(weighted.map(({ name }) => name)))
})

const nullFieldsOf = (response: Analytics) =>
  Object.entries(response).flatMap(([field, value]) => (value === null ? [field] : []))

test('with enough traffic, only switched-off fields and the rating of a persona without ratings are null', () => {
  for (const persona of fixtures.personas) {
    const response = analyticsOf(4, 90, { persona: persona.name })
    if (response.conversationCount < 200) continue
    const expected: string[] = [...(persona.switchedOff ?? [])]
    if (persona.ratedShare === 0) expected.push('averageConversationRating')
    expect(nullFieldsOf(response).sort()).toEqual(expected.sort())
  }
})

test('a period has an assessment if and only if it has at least 20 conversations', () => {
  for (let index = 0; index < 60; index++) {
    const response = analyticsOf(index, 30, { persona: 'sparse' })
    expect(response.recommendations === null).toBe(response.conversationCount < 20)
  }
})

test('a model has the shape of its fixture unless the query specifies a shape or a persona', () => {
  const shaped = fixtures.models.find(({ shape }) => shape === 'all-null')
  const query = { seed: '1', modelId: shaped?.id ?? '', days: 7, now } as const
  expect(simulate(query).conversationCount).toBe(0)
  expect(simulate({ ...query, persona: 'healthy' }).conversationCount).toBeGreaterThan(0)
  expect(simulate({ ...query, shape: 'no-null' }).conversationCount).toBeGreaterThan(0)
})

/** Returns the parts of a response that do not depend on conversation quality. */
function withoutQuality({ avgConversationQualityIndex: _, recommendations: __, dataPoints, ...others }: Analytics) {
  return { ...others, dataPoints: dataPoints.map(({ avgConversationQualityIndex: ___, ...point }) => point) }
}

test('a shifted quality stays between 0 and 1, and the quality of days without conversations stays null', () => {
  fc.assert(
    fc.property(fc.double({ min: -5, max: 5, noNaN: true }), fc.constantFrom(...personaNames), (shift, persona) => {
      const plain = analyticsOf(3, 30, { persona })
      const shifted = analyticsOf(3, 30, { persona, qualityShift: () => shift })
      expect(withoutQuality(shifted)).toEqual(withoutQuality(plain))
      for (const point of shifted.dataPoints) {
        const quality = point.avgConversationQualityIndex
        expect(quality === null).toBe(point.conversationCount === 0)
        if (quality !== null) expect(quality >= 0 && quality <= 1).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})
