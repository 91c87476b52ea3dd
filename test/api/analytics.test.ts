import { describe, expect, test } from 'vitest'
import type { Analytics, DataPoint } from '../../src/simulation/analytics.ts'
import { daysOf, type Period, periods, readAnalytics } from '../support/analytics.ts'
import { ask, modelId } from '../support/client.ts'
import { modelIds } from '../support/model-ids.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

const scores = [
  'avgConversationQualityIndex',
  'avgSatisfactionScore',
  'avgGrowthScore',
  'avgFrictionScore',
  'avgSafetyScore',
] as const

const detections = [
  'hallucinationCount',
  'jailbreakCount',
  'userBiasCount',
  'modelBiasCount',
  'userToxicityCount',
  'modelToxicityCount',
] as const

const day = 86_400_000
const today = Date.UTC(2026, 0, 15)

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** The average of a score over the data points, weighted by their conversations; null without conversations. */
function weighted(points: readonly DataPoint[], score: (typeof scores)[number]): number | null {
  const conversations = sum(points.map(({ conversationCount }) => conversationCount))
  if (conversations === 0) return null
  return sum(points.map((point) => (point[score] ?? 0) * point.conversationCount)) / conversations
}

function expectToAddUp(answer: Analytics): void {
  const { dataPoints: points, messageCount } = answer
  expect(answer.conversationCount).toBe(sum(points.map(({ conversationCount }) => conversationCount)))
  expect(messageCount).toBe(sum(points.map((point) => point.messageCount)))
  for (const score of scores) {
    const expected = weighted(points, score)
    if (expected === null) expect(answer[score]).toBeNull()
    else expect(Math.abs((answer[score] ?? Number.NaN) - expected)).toBeLessThanOrEqual(0.000_051)
  }
  for (const field of detections) {
    const detected = answer[field]
    if (detected === null) continue
    expect(detected.total).toBeLessThanOrEqual(messageCount)
    const share = (detected.total / messageCount) * 100
    expect(Math.abs(detected.percentage - share)).toBeLessThanOrEqual(0.005_1)
  }
}

function expectDays(answer: Analytics, days: number): void {
  expect(answer.dataPoints.map(({ date }) => date)).toEqual(
    Array.from({ length: days }, (_, index) => new Date(today - (days - 1 - index) * day).toISOString()),
  )
  for (const point of answer.dataPoints) {
    const silent = point.conversationCount === 0
    for (const score of scores) expect(point[score] === null).toBe(silent)
    if (silent) expect(point.messageCount).toBe(0)
  }
}

test('20 models: every period fits the document, nests in the longer one, and adds up', async () => {
  for (const id of modelIds(20)) {
    const [week, month, quarter] = await Promise.all(periods.map((period) => readAnalytics(sim(), id, period)))
    if (!week || !month || !quarter) throw new Error('a period is missing')
    for (const [answer, period] of [
      [week, '7d'],
      [month, '30d'],
      [quarter, '90d'],
    ] as [Analytics, Period][]) {
      expectDays(answer, daysOf[period])
      expectToAddUp(answer)
    }
    expect(quarter.dataPoints.slice(-30)).toEqual(month.dataPoints)
    expect(month.dataPoints.slice(-7)).toEqual(week.dataPoints)
  }
})

test('without a period the answer is that of 30 days', async () => {
  const [without, month] = await Promise.all([readAnalytics(sim(), modelId), readAnalytics(sim(), modelId, '30d')])
  expect(without).toEqual(month)
})

test('an id in capitals is the same model', async () => {
  expect(await readAnalytics(sim(), modelId.toUpperCase())).toEqual(await readAnalytics(sim(), modelId))
})

test('models differ from one another', async () => {
  const answers = await Promise.all(modelIds(50).map((id) => readAnalytics(sim(), id, '7d')))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(50)
})

test("tomorrow's week is today's, a day further", async () => {
  const later = { headers: { 'x-sim-now': '2026-01-16T00:00:00Z' } }
  for (const id of modelIds(20)) {
    const [before, after] = await Promise.all([readAnalytics(sim(), id, '7d'), readAnalytics(sim(), id, '7d', later)])
    expect(after.dataPoints.slice(0, -1)).toEqual(before.dataPoints.slice(1))
    expect(after.dataPoints.at(-1)?.date).toBe('2026-01-16T00:00:00.000Z')
  }
})

test('a UTC day is one answer from its first to its last millisecond', async () => {
  const at = (now: string) => ask(sim(), `/v1/models/${modelId}/analytics`, { headers: { 'x-sim-now': now } })
  const [first, last, next] = await Promise.all(
    ['2026-01-15T00:00:00Z', '2026-01-15T23:59:59.999Z', '2026-01-16T00:00:00Z'].map(at),
  )
  expect(first?.text).toBe(last?.text)
  expect(next?.text).not.toBe(first?.text)
})

describe('the assessment', () => {
  test('follows from the figures', async () => {
    const rank = { healthy: 0, needs_attention: 1, critical: 2 }
    const levelOf = { critical: 'critical', warning: 'needs_attention', info: 'healthy' } as const
    let assessed = 0
    for (const id of modelIds(60)) {
      const { recommendations: report, conversationCount } = await readAnalytics(sim(), id)
      expect(report === null).toBe(conversationCount < 20)
      if (report === null) continue
      assessed += 1
      const worst = report.detectedIssues.map(({ severity }) => levelOf[severity])
      const expected = worst.sort((a, b) => rank[b] - rank[a])[0] ?? 'healthy'
      expect(report.healthLevel).toBe(expected)
      const ids = report.detectedIssues.map((issue) => issue.id)
      expect(new Set(ids).size).toBe(ids.length)
    }
    expect(assessed).toBeGreaterThan(30)
  })

  test('has no hole in its texts: nothing undefined, no braces, no NaN', async () => {
    for (const id of modelIds(60)) {
      const { recommendations } = await readAnalytics(sim(), id, '90d')
      expect(JSON.stringify(recommendations)).not.toMatch(/undefined|NaN|\{\w|\w\}"|null[ ,.]|\[object/)
    }
  })
})

describe('the ends of time', () => {
  test.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01',
    '1900-01-01',
    '1969-12-31T23:59:59Z',
    '2000-02-29',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59-23:59',
  ])('X-Sim-Now: %s is answered by the document, or refused with a reason', async (now) => {
    const path = `/v1/models/${modelId}/analytics?period=90d`
    const answer = await ask(sim(), path, { headers: { 'x-sim-now': now } })
    expect([200, 400]).toContain(answer.status)
  })
})
