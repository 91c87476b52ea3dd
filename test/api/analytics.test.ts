import { expect, test } from 'vitest'
import { periods, readAnalytics } from '../support/analytics.ts'
import { ask, modelId } from '../support/client.ts'
import { modelIds } from '../support/model-ids.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

test('20 models: every period fits the document, and is the end of the longer one', async () => {
  for (const id of modelIds(20)) {
    const [week, month, quarter] = await Promise.all(periods.map((period) => readAnalytics(sim(), id, period)))
    expect([week, month, quarter].map((one) => one?.dataPoints.length)).toEqual([7, 30, 90])
    expect(quarter?.dataPoints.slice(-30)).toEqual(month?.dataPoints)
    expect(month?.dataPoints.slice(-7)).toEqual(week?.dataPoints)
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

test('a UTC day is one answer from its first to its last millisecond', async () => {
  const at = (now: string) => ask(sim(), `/v1/models/${modelId}/analytics`, { headers: { 'x-sim-now': now } })
  const [first, last, next] = await Promise.all(
    ['2026-01-15T00:00:00Z', '2026-01-15T23:59:59.999Z', '2026-01-16T00:00:00Z'].map(at),
  )
  expect(first?.text).toBe(last?.text)
  expect(next?.text).not.toBe(first?.text)
})

test.each(
  [
    ['0000-01-01T00:00:00Z', '0001-01-01', '1900-01-01', '1969-12-31T23:59:59Z', '2000-02-29'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59'],
  ].flat(),
)('X-Sim-Now: %s is answered by the document, or refused with a reason', async (now) => {
  const path = `/v1/models/${modelId}/analytics?period=90d`
  const answer = await ask(sim(), path, { headers: { 'x-sim-now': now } })
  expect([200, 400]).toContain(answer.status)
})
