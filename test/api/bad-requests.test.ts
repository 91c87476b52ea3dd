import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { groupBy } from '../../src/base/core/group-by.ts'
import { decoders } from '../../src/server/http/read-request.ts'
import { allOperations } from '../support/all-operations.ts'
import { analyticsPath, call, event, expectRefusal, type RequestOptions, readStateInfo } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, test } from '../support/start.ts'

const sim = sharedSimulator()

type Request = RequestOptions & { readonly path: string }

/** A name, a request, the expected status, and patterns that the message must match. */
type BadRequest = [string, Request, number, readonly RegExp[]]

const post = (path: string, body: RequestOptions['body'], options: RequestOptions = {}): Request => {
  return { path, method: 'POST', ...(body !== undefined && { body }), ...options }
}

const events = '/v1/events'
const withMember = (member: string) => JSON.stringify(event()).replace('{', `{${member},`)

const badRequests: BadRequest[] = [
  ['an unknown path', { path: '/v1/interactions' }, 404, [/\/v1\/interactions/, /\/v1\/events/]],
  ['analytics without /v1', { path: analyticsPath.slice(3) }, 404, [/base URL/, new RegExp(analyticsPath)]],
  ['no /v1 in a sandbox', { path: `/_s/ra${analyticsPath.slice(3)}` }, 404, [/ in \/_s\/ra\/v1: request \/_s\/ra\/v/]],
  ['/__sim in a sandbox', { path: '/_s/ra/__sim/info' }, 404, [/served at \/_s\/ra\/__sim\/info\. .* \/_s\/ra\/v1,/]],
  ['events without /v1', post('/events', event()), 404, [/base URL/, /\/v1\/events/]],
  ['an unknown version', post('/v2/events', event()), 404, [/\/v1/]],
  ['an empty period', { path: `${analyticsPath}?period=` }, 400, [/query\/period/, /"7d"/]],
  ['no content type', post(events, event(), { contentType: null }), 415, [/content-type/, /application\/json/]],
  ['an empty body', post(events, ''), 400, [/body/, /required/, /application\/json/]],
  ['no body at all', post(events, undefined), 400, [/body/, /required/]],
  ['an array as the body', post(events, '[]'), 400, [/body/, /must be an object/, /array/]],
  ['a repeated member', post(events, withMember('"value":"first"')), 400, [/body/, /"value" twice/]],
]

test.each(badRequests)('a bad request is refused and stores nothing: %s', async (_name, request, status, patterns) => {
  const before = await readStateInfo(sim())
  const response = await call(sim(), request.path, request)
  expectRefusal(response, status, ...patterns)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await readStateInfo(sim())).toEqual(before)
})

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']
const byPath = groupBy(allOperations, ({ path }) => path.replace(/\?.*/, ''))
const wrongMethods = Array.from(byPath, ([path, group]) => ({ path, allowed: group.map(({ method }) => method) }))
  .flatMap((resource) => methods.map((method) => ({ ...resource, method })))
  .filter(({ method, allowed }) => !allowed.includes(method))

test.each(wrongMethods)('$method $path gets a 405 whose Allow header lists $allowed', async (wrong) => {
  const { method, path } = wrong
  const allowed = wrong.allowed.join(', ')
  const before = await readStateInfo(sim())
  const response = await call(sim(), path, { method })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
  if (method === 'HEAD') expect(response.text).toBe('')
  else expectRefusal(response, 405, new RegExp(`${method}.*Allowed: ${allowed}`))
  expect(await readStateInfo(sim())).toEqual(before)
})

test('the media type in Content-Type is case-insensitive', async () => {
  expect((await call(sim(), events, { body: event(), contentType: 'Application/JSON' })).status).toBe(201)
})

const encode: Readonly<Record<string, (text: string) => Uint8Array>> = {
  identity: (text) => Buffer.from(text),
  gzip: (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  br: (text) => brotliCompressSync(text),
}

const send = (encoding: string, body: Uint8Array) =>
  call(sim(), '/v1/events', { body, headers: { 'content-encoding': encoding } })

const encodings = Object.entries(encode).map(([encoding, bytesOf]) => ({ encoding, bytesOf }))
const compressions = encodings.filter(({ encoding }) => encoding !== 'identity')

test('every supported encoding is tested', () => {
  expect([...decoders.keys()]).toEqual(Object.keys(encode))
})

describe.each(encodings)('a body in the encoding $encoding', ({ encoding, bytesOf }) => {
  test.each([encoding, encoding.toUpperCase()])('is decoded if Content-Encoding is %s', async (name) => {
    const response = await send(name, bytesOf(JSON.stringify(event())))
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 201 })
  })

  test('that exceeds the limit after decoding, or is incomplete, is refused', async () => {
    const before = await readStateInfo(sim())
    const tooLarge = bytesOf(JSON.stringify(event({ value: 'x'.repeat(3_000_000) })))
    expectRefusal(await send(encoding, tooLarge), 413, /limit of 1mb/)
    expectRefusal(await send(encoding, bytesOf(JSON.stringify(event())).subarray(0, -12)), 400, /body/)
    expect(await readStateInfo(sim())).toEqual(before)
  })
})

test.each(compressions)('a body that is declared as $encoding but is not encoded is refused', async ({ encoding }) => {
  expectRefusal(await send(encoding, Buffer.from(JSON.stringify(event()))), 400, /body cannot be read/)
})

test('an empty Content-Encoding is ignored', async () => {
  expect((await send('', Buffer.from(JSON.stringify(event())))).status).toBe(201)
})

test.each([10, 5000])('a response with %i non-ASCII characters is complete', async (count) => {
  const text = Array.from({ length: count }, (_, index) => ['é', '日', '😀'][index % 3]).join('')
  const { headers, status } = await call(sim(), '/v1/events', { body: event({ properties: { text } }) })
  expect(status).toBe(201)
  const shown = await call(sim(), `/__sim/requests/${headers.get('x-request-id')}`)
  expect(shown.body).toMatchObject({ request: { body: { json: { properties: { text } } } } })
  expect(Number(shown.headers.get('content-length'))).toBe(Buffer.byteLength(shown.text))
})

interface Problem extends RequestOptions {
  readonly name: string
  readonly status: number
  readonly path?: string
  /** `closed`: only the models in the fixtures exist. */
  readonly models?: 'closed' | 'open'
  /** True if the hourly limit is already used up. */
  readonly exhausted?: true
}

/** Problems in an analytics request, in the order in which the simulator checks for them. */
const problems: readonly Problem[] = [
  { name: 'an unknown path', status: 404, path: '/v1/nowhere?period=14d' },
  { name: 'a wrong method', status: 405, method: 'DELETE' },
  { name: 'a missing token', status: 401, token: null },
  { name: 'a scenario', status: 503, scenario: 'unavailable' },
  { name: 'an insufficient plan', status: 403, token: 'key_free' },
  { name: 'an invalid period', status: 400, path: `${analyticsPath}?period=14d` },
  { name: 'an unknown model', status: 404, models: 'closed' },
  { name: 'an exceeded rate limit', status: 429, exhausted: true },
]

/** Pairs of problems that one request can have. A token cannot both be missing and have the free plan. */
const pairs = problems.flatMap((first, index) =>
  problems
    .slice(index + 1)
    .filter((second) => !(first.name === 'a missing token' && second.name === 'an insufficient plan'))
    .map((second) => ({ first, second })),
)

/** The analytics path of a model in the fixtures. Such a model exists even with `--models closed`. */
const knownModelPath = '/v1/models/00000000-0000-4000-8000-000000000001/analytics'

test.each(pairs)('$first.name takes precedence over $second.name', async ({ first, second }) => {
  const { path = analyticsPath, models = 'open', exhausted, ...options }: Problem = { ...second, ...first }
  const sim = await startForTest({ models, maxAnalysesPerHour: 1 })
  if (exhausted) expect((await call(sim, knownModelPath, { token: options.token ?? 'any-key' })).status).not.toBe(429)
  const { status, text } = await call(sim, path, options)
  expect({ status, text }).toMatchObject({ status: first.status })
})

test.for<[string, RequestOptions, number]>([
  ['a missing token before an oversized body', { token: null, body: event({ value: 'x'.repeat(2_000_000) }) }, 401],
  ['a missing token before a broken body', { token: null, body: '{' }, 401],
  ['a known scenario before a broken body', { headers: { 'x-sim-scenario': 'unavailable' }, body: '{' }, 503],
  ['an unknown scenario before a broken body', { headers: { 'x-sim-scenario': 'x' }, body: '{' }, 400],
  ['a wrong content type before a broken body', { contentType: 'text/plain', body: '{' }, 415],
])('POST /v1/events checks for %s, and stores nothing', async ([, options, status], { own }) => {
  const before = await readStateInfo(own)
  expect((await call(own, '/v1/events', options)).status).toBe(status)
  expect(await readStateInfo(own)).toEqual(before)
})
