import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Analytics, DataPoint } from '../../../src/service/simulation/analytics.ts'
import { LABEL_BANDS } from '../../../src/service/simulation/labels.ts'
import {
  DETECTION_FIELDS,
  LABEL_FIELDS,
  SCORE_FIELDS,
  type ScoreField,
} from '../../../src/service/simulation/persona.ts'
import { createBundledSimulation, now, periods, unlistedModel } from './bundled-simulation.ts'

const simulation = await createBundledSimulation()

const models = Array.from({ length: 20 }, (_, index) => unlistedModel(index))

function sum(points: readonly DataPoint[], field: 'conversationCount' | 'messageCount'): number {
  return points.reduce((total, point) => total + point[field], 0)
}

/** Averages data points as a client would: weighted by conversations. */
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

function expectInRange(response: Analytics): void {
  for (const point of [response, ...response.dataPoints]) {
    for (const field of SCORE_FIELDS) {
      const value = point[field]
      if (value !== null) expect(value >= 0 && value <= 1 && Number(value.toFixed(4)) === value).toBe(true)
    }
    if (point.conversationCount > 0) {
      expect(point.messageCount).toBeGreaterThanOrEqual(2 * point.conversationCount)
    } else expect(point.messageCount).toBe(0)
  }
  const rating = response.averageConversationRating
  if (rating !== null) expect(rating >= 1 && rating <= 5).toBe(true)
}

describe('over 20 models, each period', () => {
  const responses = models.flatMap((modelId) =>
    periods.map((days) => simulation.analytics({ seed: '1', modelId, days, now })),
  )

  test('the totals follow from the data points and stay in their ranges', () => {
    for (const response of responses) {
      expectToAddUp(response)
      expectInRange(response)
    }
  })

  test('a day has scores exactly if it has conversations', () => {
    for (const point of responses.flatMap(({ dataPoints }) => dataPoints))
      for (const field of SCORE_FIELDS) expect(point[field] === null).toBe(point.conversationCount === 0)
  })

  test.each(LABEL_FIELDS)('the label of %s is that of its score', (field) => {
    for (const { label, score } of responses.flatMap((response) => response[field] ?? [])) {
      const index = LABEL_BANDS[field].findIndex((band) => band.label === label)
      const below = LABEL_BANDS[field][index - 1]?.below ?? -1
      expect(score).toBeGreaterThanOrEqual(below)
      expect(score).toBeLessThanOrEqual(LABEL_BANDS[field][index]?.below ?? Number.NaN)
    }
  })
})

test('the values of a day do not depend on the time of the query', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1970-01-01'), max: new Date('2100-12-31'), noInvalidDate: true }),
      fc.integer({ min: 0, max: 89 }),
      fc.constantFrom(...simulation.personas),
      (date, later, persona) => {
        const query = { seed: '1', modelId: unlistedModel(1), days: 90, persona } as const
        const first = simulation.analytics({ ...query, now: date.getTime() }).dataPoints
        const second = simulation.analytics({ ...query, now: date.getTime() + later * 86_400_000 }).dataPoints
        expect(second.slice(0, 90 - later)).toEqual(first.slice(later))
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
])('at %s the last 7 days are %s to %s', (at, first, last) => {
  const { dataPoints } = simulation.analytics({ seed: '1', modelId: unlistedModel(1), days: 7, now: Date.parse(at) })
  expect(dataPoints.map(({ date }) => date)).toEqual(
    Array.from({ length: 7 }, (_, index) =>
      new Date(Date.parse(`${first}T00:00:00.000Z`) + index * 86_400_000).toISOString(),
    ),
  )
  expect(dataPoints.at(-1)?.date).toBe(`${last}T00:00:00.000Z`)
})

test('conversation quality follows from the other scores', () => {
  for (const persona of simulation.personas) {
    for (const point of simulation.analytics({ seed: '1', modelId: unlistedModel(1), days: 90, now, persona })
      .dataPoints) {
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
