import { describe, expect, test } from 'vitest'
import { periods, readAnalytics } from '../support/analytics.ts'
import { analyticsPath, call, event, expectRefusal, modelId, prompt, type RequestOptions } from '../support/client.ts'
import { modelIds } from '../support/model-ids.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

type Call = RequestOptions & { readonly path: string }

const range = (count: number) => [...Array(count).keys()]

/** Requests whose responses must not depend on other requests. */
const calls: readonly Call[] = [
  ...modelIds(15).flatMap((id) => periods.map((period) => ({ path: `/v1/models/${id}/analytics?period=${period}` }))),
  ...range(30).map((n) => ({ path: '/v1/events', body: event({ insertId: `order-${n}`, sampleRate: 0.5 }) })),
  ...range(30).map((n) => ({ path: '/v1/events', body: event({ value: `${n}` }) })),
  ...range(20).map((n) => ({ path: '/v1/prompts', body: prompt({ name: `prompt ${n}` }) })),
  { path: '/v1/models/gpt/analytics' },
  { path: '/v1/nowhere' },
]

const keyOf = ({ path, body }: Call) => `${path} ${JSON.stringify(body) ?? ''}`

const pairOf = async (sim: TestSimulator, item: Call) => [keyOf(item), (await call(sim, item.path, item)).text] as const

test('the same seed and clock give the same response bodies, even for reordered, concurrent requests', async () => {
  const [first, second] = [await startForTest({ seed: 'same' }), await startForTest({ seed: 'same' })]
  const inOrder = new Map<string, string>()
  for (const item of calls) inOrder.set(...(await pairOf(first, item)))
  expect(inOrder.size).toBe(calls.length)
  const concurrent = await Promise.all(calls.toReversed().map((item) => pairOf(second, item)))
  expect(new Map(concurrent)).toEqual(inOrder)
})

const sim = sharedSimulator({ seed: '1' })
const textWith = async (headers: Record<string, string>) => (await call(sim(), analyticsPath, { headers })).text

describe('a seed for one request', () => {
  test('in X-Sim-Seed gives the same data as --seed', async () => {
    const own = await startForTest({ seed: '42' })
    expect(await textWith({ 'x-sim-seed': '42' })).toBe((await call(own, analyticsPath)).text)
    expect(await textWith({ 'x-sim-seed': '42' })).not.toBe(await textWith({}))
  })

  test('in Prefer gives the same data as X-Sim-Seed and is acknowledged', async () => {
    const response = await call(sim(), analyticsPath, { headers: { prefer: 'seed=42' } })
    expect(response.text).toBe(await textWith({ 'x-sim-seed': '42' }))
    expect(response.headers.get('preference-applied')).toBe('seed=42')
  })
})

test.each([
  [{ 'x-sim-foo': '1' }, /^Unknown control header "x-sim-foo"\. Known: x-sim-scenario, /],
  [{ 'x-sim-seed': '1, 2' }, /must be sent only once .*; got "1, 2"\.$/],
  [{ 'x-sim-seed': 'two words' }, /seed must be sent only once and have 1 to 64 visible/],
  [{ prefer: 'seed=' }, /seed must be sent only once and have 1 to 64 visible/],
] as [Record<string, string>, RegExp][])('a request with an invalid header is refused: %o', async (headers, words) => {
  const response = await call(sim(), analyticsPath, { headers })
  expectRefusal(response, 400, words)
  expect(response.headers.get('x-sim-origin')).toBe('simulator')
})

test('for 20 models, responses are valid, and longer periods end with the data points of shorter periods', async () => {
  for (const id of modelIds(20)) {
    const [week, month, quarter] = await Promise.all(periods.map((period) => readAnalytics(sim(), id, period)))
    expect([week, month, quarter].map((analytics) => analytics?.dataPoints.length)).toEqual([7, 30, 90])
    expect(quarter?.dataPoints.slice(-30)).toEqual(month?.dataPoints)
    expect(month?.dataPoints.slice(-7)).toEqual(week?.dataPoints)
  }
})

test('the default period is 30 days', async () => {
  const [byDefault, month] = await Promise.all([readAnalytics(sim(), modelId), readAnalytics(sim(), modelId, '30d')])
  expect(byDefault).toEqual(month)
})

test('model IDs are case-insensitive', async () => {
  expect(await readAnalytics(sim(), modelId.toUpperCase())).toEqual(await readAnalytics(sim(), modelId))
})

test('the response is the same from the first to the last millisecond of a UTC day', async () => {
  const at = (now: string) => call(sim(), analyticsPath, { headers: { 'x-sim-now': now } })
  const instants = ['2026-01-15T00:00:00Z', '2026-01-15T23:59:59.999Z', '2026-01-16T00:00:00Z']
  const [first, last, next] = await Promise.all(instants.map(at))
  expect(first?.text).toBe(last?.text)
  expect(next?.text).not.toBe(first?.text)
})
