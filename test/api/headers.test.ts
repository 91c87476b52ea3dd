import { describe, expect } from 'vitest'
import { analyticsPath, call, callOperation, event, modelId, objectOf, operations } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { documentWith } from '../support/documents.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { listRequests } from '../support/stored-records.ts'

const sim = sharedSimulator()

const simHeaderNames = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('x-sim-') || name === 'x-request-id').sort()

describe('the simulator’s headers', () => {
  test.each(operations)('in a response to $id name the operation, sandbox, origin and request', async (operation) => {
    const { headers } = await callOperation(sim(), operation)
    const names = ['x-sim-operation', 'x-sim-sandbox', 'x-sim-origin', 'x-request-id', 'x-powered-by']
    const expected = [operation.id, 'default', 'contract', expect.stringMatching(/^\S+$/), null]
    expect(names.map((name) => headers.get(name))).toEqual(expected)
  })

  test('name the simulator as the origin of a refusal for a missing base path', async () => {
    expect((await call(sim(), `/models/${modelId}/analytics`)).headers.get('x-sim-origin')).toBe('simulator')
  })
})

test('--no-sim-headers removes all simulator headers, but keeps service headers such as Retry-After', async () => {
  const own = await startForTest({ simHeaders: false, maxAnalysesPerHour: 1 })
  const responses = [
    ...(await Promise.all(operations.map((operation) => callOperation(own, operation)))),
    await call(own, '/v1/events', { body: event({ value: 1 }) }),
    await call(own, analyticsPath),
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } }),
    await call(own, analyticsPath, { headers: { 'x-sim-scenario': 'nonsense' } }),
    await call(own, '/nowhere'),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 201, 201, 400, 429, 429, 400, 404])
  for (const { headers } of responses) expect(simHeaderNames(headers)).toEqual([])
  expect(responses[4]?.headers.get('retry-after')).toBe('3600')
})

describe('CORS', () => {
  const origin = 'https://app.example.test'

  test.each([
    ['a successful response', analyticsPath, 'any-key', 200],
    ['a 400', '/v1/models/gpt/analytics', 'any-key', 400],
    ['a 401', analyticsPath, null, 401],
    ['a 404', '/v1/nowhere', 'any-key', 404],
  ])('lets a page read %s', async (_name, path, token, status) => {
    const response = await call(sim(), path, { headers: { origin }, token })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toBe('*')
  })

  test('grants everything requested by the preflight of a POST', async () => {
    const response = await call(sim(), '/v1/events', {
      method: 'OPTIONS',
      token: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-sim-scenario',
      },
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-sim-scenario')
  })

  test('adds no headers if the request has no Origin header or --no-cors is set', async () => {
    const own = await startForTest({ cors: false })
    for (const response of [await call(sim(), analyticsPath), await call(own, analyticsPath, { headers: { origin } })])
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

test('control requests do not change the IDs of requests to the service', async ({ own }) => {
  const ids: (string | null)[] = []
  for (const path of ['/healthz', '/__sim/info', '/__sim/nowhere']) {
    await call(own, path, { token: null })
    ids.push((await call(own, analyticsPath)).headers.get('x-request-id'))
  }
  expect(ids).toEqual(['req-1', 'req-2', 'req-3'])
})

test('an operation with a non-ASCII ID is handled, and its ID is escaped in headers', async () => {
  const contract = await documentWith('operationId: getModelAnalytics', 'operationId: получить日本')
  const own = await startForTest({ contract })
  const { status, headers } = await call(own, analyticsPath)
  const operation = headers.get('x-sim-operation') ?? ''
  expect([status, JSON.parse(`"${operation}"`)]).toEqual([200, 'получить日本'])
  expect(operation).toMatch(/^[\x20-\x7e]+$/)
  const { requests } = await callControl(own, 'GET', '/requests')
  expect(requests).toMatchObject([{ operation: 'получить日本', response: { status: 200 } }])
})

test.each([
  ['a scenario', { 'x-sim-scenario': 'größe' }],
  ['a preference', { prefer: 'example=größe' }],
  ['a sandbox', { 'x-sim-sandbox': 'größe' }],
  ['a seed', { 'x-sim-seed': 'größe' }],
  ['a time', { 'x-sim-now': 'größe' }],
  ['a media type', { 'content-type': 'größe' }],
])('all response headers are ASCII, even if %s has non-ASCII characters', async (_name, headers) => {
  const response = await call(sim(), '/v1/events', { body: event(), contentType: null, headers })
  expect(response.status).toBeLessThan(500)
  for (const [name, value] of response.headers)
    expect({ name, value }).toMatchObject({ value: expect.stringMatching(/^[\x20-\x7e]*$/) })
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const otherId = '0af7651916cd43dd8448eb211c80319c'
const parent = '00f067aa0ba902b7'

const send = (target: TestSimulator, traceparent: string) => call(target, analyticsPath, { headers: { traceparent } })

const listTraceIds = async (target: TestSimulator, query?: string) =>
  (await listRequests(target, query)).map((one) => one.traceId)

describe('the trace ID in traceparent', () => {
  test.each([
    ['version 00', `00-${traceId}-${parent}-01`, traceId],
    ['a later version with more parts', `cc-${traceId}-${parent}-00-what-comes`, traceId],
    ['version 00 with more parts', `00-${traceId}-${parent}-01-more`, undefined],
    ['version ff', `ff-${traceId}-${parent}-01`, undefined],
    ['capital letters', `00-${traceId.toUpperCase()}-${parent}-01`, undefined],
    ['an all-zero trace ID', `00-${'0'.repeat(32)}-${parent}-01`, undefined],
    ['an all-zero parent ID', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    ['two values in one header', `00-${traceId}-${parent}-01, 00-${otherId}-${parent}-01`, undefined],
  ])('is recorded only if the header is valid: %s', async (_what, traceparent, expected) => {
    const response = await send(sim(), traceparent)
    const entry = await call(sim(), `/__sim/requests/${response.headers.get('x-request-id')}`)
    expect(objectOf(entry)['traceId']).toBe(expected)
    expect(response.headers.get('x-sim-advice')).toBeNull()
  })

  test('appears in the log line', async ({ own }) => {
    await send(own, `00-${traceId}-${parent}-01`)
    await send(own, 'none')
    const lines = own.logged.filter(({ message }) => message === 'responded').map(({ fields }) => fields)
    expect(lines).toEqual([expect.objectContaining({ traceId }), expect.not.objectContaining({ traceId })])
  })

  test('can be used to select requests in lists (regardless of case), counts and verifications', async ({ own }) => {
    for (const id of [traceId, otherId, traceId]) await send(own, `00-${id}-${parent}-01`)
    await call(own, analyticsPath)
    expect(await listTraceIds(own)).toEqual([traceId, otherId, traceId, undefined])
    expect(await listTraceIds(own, `traceId=${otherId.toUpperCase()}`)).toEqual([otherId])
    const match = { traceId }
    expect(await callControl(own, 'POST', '/requests/count', { match })).toMatchObject({ count: 2 })
    const verified = { match: { traceId: otherId }, count: { exactly: 1 } }
    expect(await callControl(own, 'POST', '/verify', verified)).toMatchObject({ satisfied: true })
  })
})
