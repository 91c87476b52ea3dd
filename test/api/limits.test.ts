import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test as plainTest } from 'vitest'
import type { Settings } from '../../src/server/settings/settings.ts'
import { bundledFixtures } from '../../src/service/fixtures/bundled.ts'
import {
  analyticsPath,
  call,
  callOperation,
  operations,
  type RequestOptions,
  type TestResponse,
} from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { fixturesWith } from '../support/documents.ts'
import { modelIds } from '../support/model-ids.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const startLimited = (settings: Partial<Settings> = {}) => startForTest({ maxAnalysesPerHour: 5, ...settings })
/** A test with its own simulator `sim`, which allows five analyses an hour. */
const test = plainTest.extend('sim', () => startLimited())

async function callMany(sim: TestSimulator, count: number, options: RequestOptions = {}): Promise<TestResponse[]> {
  const responses: TestResponse[] = []
  while (responses.length < count) responses.push(await call(sim, analyticsPath, options))
  return responses
}

const at = (time: string): RequestOptions => ({ headers: { 'x-sim-now': `2026-01-15T${time}Z` } })

const statusesOf = (responses: readonly TestResponse[]) => responses.map(({ status }) => status)

/** Returns the parsed values of a response's rate limit, retry and Date headers. */
function rateFieldsOf({ headers }: TestResponse) {
  const [, name, left, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
  const [, policy, quota, window] = /^"(\w+)";q=(\d+);w=(\d+)$/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const numberIn = (field: string) => (headers.has(field) ? Number(headers.get(field)) : undefined)
  return {
    name,
    policy,
    left: Number(left),
    seconds: Number(seconds),
    quota: Number(quota),
    window: Number(window),
    retryAfter: numberIn('retry-after'),
    retryAfterMs: numberIn('retry-after-ms'),
    date: Date.parse(headers.get('date') ?? ''),
  }
}

test.each(['real', 'frozen', 'shifted'])('with a %s clock, a retry after retry-after-ms succeeds', async (mode) => {
  const sim = await startLimited({ clock: 'real' })
  await callControl(sim, 'PUT', '/clock', { mode, ...(mode !== 'real' && { now: '2026-03-01T10:20:30.400Z' }) })
  const responses = await callMany(sim, 6)
  expect(statusesOf(responses)).toEqual([200, 200, 200, 200, 200, 429])
  await callControl(sim, 'POST', '/clock/advance', { by: `${responses[5]?.headers.get('retry-after-ms')}ms` })
  expect(statusesOf(await callMany(sim, 6))).toEqual([200, 200, 200, 200, 200, 429])
})

test('all rate limit fields of a response agree with each other and with its Date', async ({ sim }) => {
  const start = Date.UTC(2026, 0, 15, 12)
  const table = [
    { by: '0s', elapsedMs: 0, windowAgeMs: 0, left: 4, status: 200 },
    { by: '250ms', elapsedMs: 250, windowAgeMs: 250, left: 3, status: 200 },
    { by: '10m', elapsedMs: 600_250, windowAgeMs: 600_250, left: 2, status: 200 },
    { by: '749ms', elapsedMs: 600_999, windowAgeMs: 600_999, left: 1, status: 200 },
    { by: '1ms', elapsedMs: 601_000, windowAgeMs: 601_000, left: 0, status: 200 },
    { by: '20m', elapsedMs: 1_801_000, windowAgeMs: 1_801_000, left: 0, status: 429 },
    { by: '1798999ms', elapsedMs: 3_599_999, windowAgeMs: 3_599_999, left: 0, status: 429 },
    { by: '1h', elapsedMs: 7_199_999, windowAgeMs: 0, left: 4, status: 200 },
  ]
  for (const { by, elapsedMs, windowAgeMs, left, status } of table) {
    await callControl(sim, 'POST', '/clock/advance', { by })
    const response = await call(sim, analyticsPath)
    const remaining = 3_600_000 - windowAgeMs
    const seconds = Math.ceil(remaining / 1000)
    const retryFields = status === 429 ? { retryAfter: seconds, retryAfterMs: remaining } : {}
    expect({ status: response.status, ...rateFieldsOf(response) }).toEqual({
      status,
      ...{ name: 'analyses', policy: 'analyses', quota: 5, window: 3600, left, seconds },
      date: Math.floor((start + elapsedMs) / 1000) * 1000,
      ...retryFields,
    })
  }
})

describe('requests count against the limit', () => {
  test('separately for each key in each sandbox, but together for all models', async ({ sim }) => {
    const [first = '', ...others] = modelIds(6).map((id) => `/v1/models/${id}/analytics?period=7d`)
    for (const path of others) expect((await call(sim, path)).status).toBe(200)
    expect((await call(sim, first)).status).toBe(429)
    for (const token of ['another-key', 'any-key~one']) expect((await call(sim, first, { token })).status).toBe(200)
  })

  test('only if they read analytics, not if they create prompts or events', async ({ sim }) => {
    await callMany(sim, 5)
    for (const operation of [...operations.slice(1), ...operations.slice(1)]) {
      const { status, headers } = await callOperation(sim, operation)
      expect([status, headers.get('ratelimit')]).toEqual([201, null])
    }
    expect(statusesOf(await callMany(sim, 1))).toEqual([429])
  })
})

test('refused requests do not count against the limit', async () => {
  const sim = await startLimited({ models: 'closed' })
  const refused: [string, RequestOptions, number][] = [
    ['/v1/models/not-a-uuid/analytics', {}, 400],
    [`${analyticsPath}?period=14d`, {}, 400],
    [analyticsPath, {}, 404],
    ['/v1/models/00000000-0000-4000-8000-000000000404/analytics', {}, 404],
    [analyticsPath, { method: 'DELETE' }, 405],
    [analyticsPath, { token: null }, 401],
    [analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } }, 429],
    [analyticsPath, { headers: { 'x-sim-scenario': 'nonsense' } }, 400],
    [analyticsPath, { headers: { 'x-sim-sequence': '500, 200' } }, 500],
  ]
  const known = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'
  await call(sim, known)
  for (const [path, options, status] of refused) {
    for (let count = 0; count < (status === 500 ? 1 : 3); count += 1) {
      expect([path, (await call(sim, path, options)).status]).toEqual([path, status])
    }
  }
  expect(rateFieldsOf(await call(sim, known)).left).toBe(3)
})

test.for<[string, number, number]>([
  ['rate-limited', 1, 60],
  ['rate-limited;retry-after=3', 3, 60],
  ['rate-limited; retry-after = 3 ; limit=5', 3, 5],
  ['rate-limited;retry-after=0', 0, 60],
  ['429;retry-after=7', 7, 60],
])('the response caused by the scenario %s says when to retry', async ([scenario, retryAfter, quota], { sim }) => {
  const response = await call(sim, analyticsPath, { scenario })
  expect(response.status).toBe(429)
  expect(rateFieldsOf(response)).toMatchObject({ retryAfter, retryAfterMs: 1000 * retryAfter, quota })
})

test('X-Sim-Scenario in a refusal does not name a data scenario', async () => {
  const sim = await startLimited({ maxAnalysesPerHour: 1 })
  const all = [await call(sim, analyticsPath)]
  all.push(await call(sim, analyticsPath, { headers: { 'x-sim-scenario': 'critical' } }))
  all.push(await call(sim, analyticsPath, { token: 'key_free', headers: { 'x-sim-scenario': 'critical, slow;ms=1' } }))
  expect(statusesOf(all)).toEqual([200, 429, 403])
  expect(all.map(({ headers }) => headers.get('x-sim-scenario'))).toEqual([null, null, 'slow;ms=1'])
})

const plans = `
- { name: free, about: Without analytics., analytics: false, maxAnalysesPerHour: null }
- { name: growth, about: Two analyses an hour., analytics: true, maxAnalysesPerHour: 2 }
- { name: enterprise, about: Three analyses an hour., analytics: true, maxAnalysesPerHour: 3 }
`
const keys = ['any-key', 'key_growth', 'key_enterprise', 'key_free']

test.each<[string, Partial<Settings>, number[]]>([
  ['the key’s plan', {}, [2, 2, 3, 0]],
  ['--plan, but only for keys that are not in the fixtures', { plan: 'enterprise' }, [3, 2, 3, 0]],
  ['--max-analyses-per-hour, for all plans with analytics', { maxAnalysesPerHour: 4 }, [4, 4, 4, 0]],
])('the limit is set by %s', async (_name, settings, expected) => {
  const fixtures = await fixturesWith('plans.yaml', readFileSync(join(bundledFixtures, 'plans.yaml'), 'utf8'), plans)
  const sim = await startForTest({ fixtures, ...settings })
  const countSuccesses = async (token: string) =>
    statusesOf(await callMany(sim, 6, { token })).filter((status) => status === 200).length
  expect(await Promise.all(keys.map(countSuccesses))).toEqual(expected)
})

test('without a limit, responses have no rate limit headers', async () => {
  const sim = await startForTest({ xRateLimit: 'epoch' })
  const responses = await callMany(sim, 100)
  expect(new Set(statusesOf(responses))).toEqual(new Set([200]))
  expect([...(responses[0]?.headers.keys() ?? [])].filter((name) => name.includes('ratelimit'))).toEqual([])
})

test('--analyses-window sets the length of the rate limit window, which appears in headers and messages', async () => {
  const sim = await startLimited({ maxAnalysesPerHour: 2, analysesWindow: '10s' })
  const [first, , refused] = await callMany(sim, 3, at('12:00:00'))
  expect(first?.headers.get('ratelimit')).toBe('"analyses";r=1;t=10')
  expect(refused?.body).toMatchObject({ error: 'Rate limit exceeded: 2 in 10 s. Try again in 10 s.' })
  expect(refused && rateFieldsOf(refused)).toMatchObject({ quota: 2, window: 10, left: 0, seconds: 10, retryAfter: 10 })
  expect(statusesOf(await callMany(sim, 1, at('12:00:09.999')))).toEqual([429])
  expect(statusesOf(await callMany(sim, 3, at('12:00:10')))).toEqual([200, 200, 429])
})

test.each([
  ['epoch', String(Date.parse('2026-01-15T13:00:00Z') / 1000), String(Date.parse('2026-01-15T12:30:07Z') / 1000)],
  ['seconds', '3600', '7'],
] as const)('--x-rate-limit %s adds X-RateLimit headers in that format', async (xRateLimit, reset, scenarioReset) => {
  const sim = await startForTest({ maxAnalysesPerHour: 2, xRateLimit })
  const xRateLimitOf = ({ headers }: TestResponse) =>
    ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))
  const responses = [...(await callMany(sim, 1, at('12:00:00'))), ...(await callMany(sim, 2, at('12:00:00.1')))]
  expect(responses.map(xRateLimitOf)).toEqual(['1', '0', '0'].map((left) => ['2', left, reset]))
  const { headers } = at('12:30:00')
  const scenario = { ...headers, 'x-sim-scenario': 'rate-limited;retry-after=7;limit=9' }
  expect(xRateLimitOf(await call(sim, analyticsPath, { headers: scenario }))).toEqual(['9', '0', scenarioReset])
})
