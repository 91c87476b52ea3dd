import { describe, expect, test } from 'vitest'
import { type Answer, analyticsPath, ask, errorOf, type RequestOptions } from '../support/client.ts'
import { faultsOf } from '../support/documented.ts'
import { startForTest, type TestSimulator } from '../support/start.ts'

const at = (time: string): RequestOptions => ({ headers: { 'x-sim-now': `2026-01-15T${time}Z` } })

async function askMany(sim: TestSimulator, count: number, how: RequestOptions = {}): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < count; index += 1) answers.push(await ask(sim, analyticsPath, how))
  return answers
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test('without a limit there is none, and no header speaks of one', async () => {
  const sim = await startForTest()
  const answers = await askMany(sim, 100)
  expect(new Set(statusesOf(answers))).toEqual(new Set([200]))
  expect(answers[0]?.headers.get('ratelimit')).toBeNull()
})

describe('--max-analyses-per-hour 3', () => {
  const limited = () => startForTest({ maxAnalysesPerHour: 3 })

  test('answers three, then 429 with when to come back', async () => {
    const sim = await limited()
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
    const sim = await limited()
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
  const limited = () => startForTest({ maxAnalysesPerHour: 2, analysesWindow: '10s' })

  test('counts in windows of 10 seconds, and all headers and words say so', async () => {
    const sim = await limited()
    const [first, , refused] = await askMany(sim, 3, at('12:00:00'))
    expect(first?.headers.get('ratelimit')).toBe('"analyses";r=1;t=10')
    expect(refused?.status).toBe(429)
    expect(refused && errorOf(refused)).toBe('Rate limit exceeded: 2 in 10 s. Try again in 10 s.')
    expect(refused?.headers.get('retry-after')).toBe('10')
    expect(refused?.headers.get('ratelimit-policy')).toBe('"analyses";q=2;w=10')
  })

  test('opens again 10 seconds after its first request', async () => {
    const sim = await limited()
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
