import { expect } from 'vitest'
import { analyticsPath, ask, event, type RequestOptions, readStateInfo } from '../support/client.ts'
import { startForTest, test } from '../support/start.ts'

interface Fault {
  readonly name: string
  readonly status: number
  readonly path?: string
  readonly query?: string
  readonly how?: RequestOptions
  readonly headers?: Record<string, string>
  /** The request is sent to a simulator that knows only the models of the fixtures. */
  readonly closed?: boolean
  /** The hour's analyses are used up before. */
  readonly exhausted?: boolean
}

/** The faults of a request for analytics, in the order in which the design looks for them. */
const faults: readonly Fault[] = [
  { name: 'unknown path', status: 404, path: '/v1/nowhere' },
  { name: 'wrong method', status: 405, how: { method: 'DELETE' } },
  { name: 'no token', status: 401, how: { token: null } },
  { name: 'scenario', status: 503, headers: { 'x-sim-scenario': 'unavailable' } },
  { name: 'plan', status: 403, how: { token: 'key_free' } },
  { name: 'validation', status: 400, query: '?period=14d' },
  { name: 'unknown model', status: 404, closed: true },
  { name: 'rate', status: 429, exhausted: true },
]

/** Pairs that one request can have: a token cannot be missing and on the free plan at once. */
const pairs = faults.flatMap((first, index) =>
  faults
    .slice(index + 1)
    .filter((second) => !(first.name === 'no token' && second.name === 'plan'))
    .map((second) => ({ first, second })),
)

/** A model of the fixtures, so that it is there under `--models closed`. */
const known = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'

test.each(pairs)('the earlier of two faults decides: $first.name before $second.name', async ({ first, second }) => {
  const both = [first, second]
  const closed = both.some((fault) => fault.closed === true)
  const sim = await startForTest({ models: closed ? 'closed' : 'open', maxAnalysesPerHour: 1 })
  const token = both.find((fault) => fault.how?.token)?.how?.token ?? 'any-key'
  if (both.some(({ exhausted }) => exhausted)) expect((await ask(sim, known, { token })).status).not.toBe(429)
  const path = first.path ?? second.path ?? analyticsPath + (first.query ?? second.query ?? '')
  const headers = { ...first.headers, ...second.headers }
  const response = await ask(sim, path, { ...second.how, ...first.how, headers })
  expect({ status: response.status, text: response.text }).toMatchObject({ status: first.status })
})

test.for<[string, RequestOptions, number]>([
  ['no token before a body that is too large', { token: null, body: event({ value: 'x'.repeat(2_000_000) }) }, 401],
  ['no token before a broken body', { token: null, body: '{' }, 401],
  ['a scenario before a broken body', { headers: { 'x-sim-scenario': 'unavailable' }, body: '{' }, 503],
  ['an unknown scenario before a broken body', { headers: { 'x-sim-scenario': 'x' }, body: '{' }, 400],
  ['the content type before the body', { contentType: 'text/plain', body: '{' }, 415],
])('on POST /events %s decides', async ([, how, status], { own }) => {
  const before = await readStateInfo(own)
  expect((await ask(own, '/v1/events', how)).status).toBe(status)
  expect(await readStateInfo(own)).toEqual(before)
})
