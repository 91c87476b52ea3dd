import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { bundledFixtures } from '../../src/fixtures/bundled.ts'
import {
  type Answer,
  analyticsPath,
  ask,
  askOperation,
  errorOf,
  event,
  operations,
  type RequestOptions,
} from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { faultsOf } from '../support/documented.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const limited = (settings: Partial<Settings> = {}) => startForTest({ maxAnalysesPerHour: 5, ...settings })

async function askMany(sim: TestSimulator, count: number, how: RequestOptions = {}): Promise<Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) answers.push(await ask(sim, analyticsPath, how))
  return answers
}

const at = (time: string): RequestOptions => ({ headers: { 'x-sim-now': `2026-01-15T${time}Z` } })

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status)

/** The rate fields of an answer, as numbers where they are numbers. */
function ratesOf({ headers }: Answer) {
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

test('five an hour: five answers, the sixth is a 429; the clock advanced by its Retry-After, the next is answered', async () => {
  const sim = await limited()
  const answers = await askMany(sim, 6)
  expect(statusesOf(answers)).toEqual([200, 200, 200, 200, 200, 429])
  const seconds = answers[5]?.headers.get('retry-after')
  expect(seconds).toBe('3600')
  await steer(sim, 'POST', '/clock/advance', { by: `${Number(seconds) - 1}s` })
  expect(statusesOf(await askMany(sim, 1))).toEqual([429])
  await steer(sim, 'POST', '/clock/advance', { by: '1s' })
  expect(statusesOf(await askMany(sim, 6))).toEqual([200, 200, 200, 200, 200, 429])
})

test.each(['real', 'frozen', 'shifted'])('the same with a %s clock: retry-after-ms later it is open', async (mode) => {
  const sim = await limited({ clock: 'real' })
  await steer(sim, 'PUT', '/clock', { mode, ...(mode !== 'real' && { now: '2026-03-01T10:20:30.400Z' }) })
  const [refused] = (await askMany(sim, 6)).slice(5)
  if (!refused) throw new Error('no sixth answer')
  expect(refused.status).toBe(429)
  await steer(sim, 'POST', '/clock/advance', { by: `${ratesOf(refused).retryAfterMs}ms` })
  expect(statusesOf(await askMany(sim, 1))).toEqual([200])
})

test('all the fields of an answer agree with one another and with its Date', async () => {
  const sim = await limited()
  const begin = Date.UTC(2026, 0, 15, 12)
  /** How far the clock goes on; by then: milliseconds since the begin, and since the window was opened; what is left. */
  const table = [
    { by: '0s', at: 0, open: 0, left: 4, status: 200 },
    { by: '250ms', at: 250, open: 250, left: 3, status: 200 },
    { by: '10m', at: 600_250, open: 600_250, left: 2, status: 200 },
    { by: '749ms', at: 600_999, open: 600_999, left: 1, status: 200 },
    { by: '1ms', at: 601_000, open: 601_000, left: 0, status: 200 },
    { by: '20m', at: 1_801_000, open: 1_801_000, left: 0, status: 429 },
    { by: '1798999ms', at: 3_599_999, open: 3_599_999, left: 0, status: 429 },
    { by: '1h', at: 7_199_999, open: 0, left: 4, status: 200 },
  ]
  for (const { by, at, open, left, status } of table) {
    await steer(sim, 'POST', '/clock/advance', { by })
    const answer = await ask(sim, analyticsPath)
    const remaining = 3_600_000 - open
    const seconds = Math.ceil(remaining / 1000)
    const told = status === 429 ? { retryAfter: seconds, retryAfterMs: remaining } : {}
    expect({ status: answer.status, ...ratesOf(answer) }).toEqual({
      status,
      ...{ name: 'analyses', policy: 'analyses', quota: 5, window: 3600, left, seconds },
      date: Math.floor((begin + at) / 1000) * 1000,
      retryAfter: undefined,
      retryAfterMs: undefined,
      ...told,
    })
  }
})

describe('the limit is counted', () => {
  test('for each key', async () => {
    const sim = await limited()
    expect(statusesOf(await askMany(sim, 6, { token: 'a' })).at(-1)).toBe(429)
    expect(statusesOf(await askMany(sim, 5, { token: 'b' }))).toEqual([200, 200, 200, 200, 200])
  })

  test('for each sandbox', async () => {
    const sim = await limited()
    expect(statusesOf(await askMany(sim, 6, { token: 'a~one' })).at(-1)).toBe(429)
    expect(statusesOf(await askMany(sim, 6, { token: 'a~two' })).slice(4)).toEqual([200, 429])
    expect(statusesOf(await askMany(sim, 1, { token: 'a' }))).toEqual([200])
  })

  test('for one key over all models and periods', async () => {
    const sim = await limited()
    const paths = ['1', '2', '3', '4', '5', '6'].map(
      (digit) => `/v1/models/00000000-0000-4000-8000-00000000000${digit}/analytics?period=7d`,
    )
    const statuses = []
    for (const path of paths) statuses.push((await ask(sim, path)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })

  test('exactly, when all come at once', async () => {
    const sim = await limited()
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(sim, analyticsPath)))
    const answered = answers.filter(({ status }) => status === 200)
    expect(answered.map((one) => ratesOf(one).left).sort()).toEqual([0, 1, 2, 3, 4])
  })

  test('only by analytics: prompts and events have none', async () => {
    const sim = await limited()
    await askMany(sim, 5)
    for (const operation of operations.slice(1)) {
      for (let count = 0; count < 10; count += 1) {
        const answer = await askOperation(sim, operation)
        expect(answer.status).toBe(201)
        expect(answer.headers.get('ratelimit')).toBeNull()
      }
    }
    expect(statusesOf(await askMany(sim, 1))).toEqual([429])
  })
})

test('refused requests use up nothing, whatever they are refused for', async () => {
  const sim = await limited({ models: 'closed' })
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
  await ask(sim, known)
  for (const [path, how, status] of refused) {
    for (let count = 0; count < (status === 500 ? 1 : 3); count += 1) {
      expect([path, (await ask(sim, path, how)).status]).toEqual([path, status])
    }
  }
  const [next] = [await ask(sim, known)]
  expect(ratesOf(next).left).toBe(3)
})

test('a 429 of the limit uses up nothing either, and does not put the end of the window off', async () => {
  const sim = await limited()
  await askMany(sim, 50)
  await steer(sim, 'POST', '/clock/advance', { by: '30m' })
  const [refused] = await askMany(sim, 50)
  expect(refused?.headers.get('retry-after')).toBe('1800')
  await steer(sim, 'POST', '/clock/advance', { by: '30m' })
  expect(statusesOf(await askMany(sim, 6))).toEqual([200, 200, 200, 200, 200, 429])
})

describe('where the limit comes from', () => {
  const plans = `
- { name: free, about: Without analytics., analytics: false, maxAnalysesPerHour: null }
- { name: growth, about: Two an hour., analytics: true, maxAnalysesPerHour: 2 }
- { name: enterprise, about: Three an hour., analytics: true, maxAnalysesPerHour: 3 }
`
  async function withPlans(settings: Partial<Settings> = {}) {
    const fixtures = join(await tempFolder(), 'fixtures')
    await cp(bundledFixtures, fixtures, { recursive: true })
    await writeFile(join(fixtures, 'plans.yaml'), plans)
    return startForTest({ fixtures, ...settings })
  }
  const answered = async (sim: TestSimulator, token: string) =>
    statusesOf(await askMany(sim, 6, { token })).filter((status) => status === 200).length

  test('the plan of the key', async () => {
    const sim = await withPlans()
    expect(await answered(sim, 'any-key')).toBe(2)
    expect(await answered(sim, 'key_enterprise')).toBe(3)
    expect(await answered(sim, 'key_free')).toBe(0)
  })

  test('--plan, for keys that no fixture lists', async () => {
    expect(await answered(await withPlans({ plan: 'enterprise' }), 'any-key')).toBe(3)
  })

  test('the setting, for all plans', async () => {
    const sim = await withPlans({ maxAnalysesPerHour: 4 })
    expect(await answered(sim, 'any-key')).toBe(4)
    expect(await answered(sim, 'key_enterprise')).toBe(4)
  })
})

test('a scripted 429 agrees with itself as a real one does', async () => {
  const sim = await startForTest()
  await putRules(sim, [{ scenario: 'rate-limited;retry-after=90;limit=7' }])
  const answer = await ask(sim, '/v1/events', { body: event() })
  expect(ratesOf(answer)).toMatchObject({ left: 0, seconds: 90, quota: 7, retryAfter: 90, retryAfterMs: 90_000 })
})

test('a reset opens the window again', async () => {
  const sim = await limited()
  await askMany(sim, 6)
  await steer(sim, 'POST', '/reset')
  expect(statusesOf(await askMany(sim, 1))).toEqual([200])
})

test('without a limit there is none, and no header speaks of one', async () => {
  const sim = await startForTest()
  const answers = await askMany(sim, 100)
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
  expect(answers[0]?.headers.get('ratelimit')).toBeNull()
})

describe('--max-analyses-per-hour 3', () => {
  const ofThree = () => limited({ maxAnalysesPerHour: 3 })

  test('answers three, then 429 with when to come back', async () => {
    const sim = await ofThree()
    const answers = await askMany(sim, 5)
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429, 429])
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      '"analyses";r=2;t=3600',
      '"analyses";r=1;t=3600',
      '"analyses";r=0;t=3600',
      '"analyses";r=0;t=3600',
      '"analyses";r=0;t=3600',
    ])
    const refused = answers[3]
    if (!refused) throw new Error('no answer')
    expect(faultsOf('getModelAnalytics', 429, refused.body)).toEqual([])
    expect(errorOf(refused)).toMatch(/3 an hour.*3600 s/)
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect(refused.headers.get('retry-after-ms')).toBe('3600000')
    expect(refused.headers.get('ratelimit-policy')).toBe('"analyses";q=3;w=3600')
  })

  test('opens again when the hour is over', async () => {
    const sim = await ofThree()
    await askMany(sim, 3, at('12:00:00'))
    const [late] = await askMany(sim, 1, at('12:59:59.250'))
    expect([late?.status, late?.headers.get('retry-after'), late?.headers.get('retry-after-ms')]).toEqual([
      429,
      '1',
      '750',
    ])
    expect(statusesOf(await askMany(sim, 4, at('13:00:00')))).toEqual([200, 200, 200, 429])
  })
})

describe('--analyses-window 10s', () => {
  const inSeconds = () => limited({ maxAnalysesPerHour: 2, analysesWindow: '10s' })

  test('counts in windows of 10 seconds, and all headers and words say so', async () => {
    const sim = await inSeconds()
    const [first, , refused] = await askMany(sim, 3, at('12:00:00'))
    expect(first?.headers.get('ratelimit')).toBe('"analyses";r=1;t=10')
    expect(refused?.status).toBe(429)
    expect(refused && errorOf(refused)).toBe('Rate limit exceeded: 2 in 10 s. Try again in 10 s.')
    expect(refused?.headers.get('retry-after')).toBe('10')
    expect(refused?.headers.get('ratelimit-policy')).toBe('"analyses";q=2;w=10')
  })

  test('opens again 10 seconds after its first request', async () => {
    const sim = await inSeconds()
    await askMany(sim, 2, at('12:00:00'))
    expect(statusesOf(await askMany(sim, 1, at('12:00:09.999')))).toEqual([429])
    expect(statusesOf(await askMany(sim, 3, at('12:00:10')))).toEqual([200, 200, 429])
  })
})

describe('--x-rate-limit', () => {
  const older = ({ headers }: Answer) =>
    ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`))

  test('off sends no such header', async () => {
    const sim = await startForTest({ maxAnalysesPerHour: 1 })
    for (const answer of await askMany(sim, 2)) expect(older(answer)).toEqual([null, null, null])
  })

  test.each([
    ['epoch', String(Date.parse('2026-01-15T13:00:00Z') / 1000), String(Date.parse('2026-01-15T12:30:07Z') / 1000)],
    ['seconds', '3600', '7'],
  ] as const)('%s sends what the RateLimit fields say', async (xRateLimit, end, scenarioEnd) => {
    const sim = await startForTest({ maxAnalysesPerHour: 2, xRateLimit })
    const answers = await askMany(sim, 3, at('12:00:00'))
    expect(answers.map(older)).toEqual([
      ['2', '1', end],
      ['2', '0', end],
      ['2', '0', end],
    ])
    const { headers } = at('12:30:00')
    const scenario = { ...headers, 'x-sim-scenario': 'rate-limited;retry-after=7;limit=9' }
    expect(older(await ask(sim, analyticsPath, { headers: scenario }))).toEqual(['9', '0', scenarioEnd])
  })

  test('adds nothing to a reply without a limit', async () => {
    const sim = await startForTest({ xRateLimit: 'epoch' })
    for (const answer of await askMany(sim, 1)) expect(older(answer)).toEqual([null, null, null])
  })
})
