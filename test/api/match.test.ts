import { beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { call, event, expectRefusal, modelId, productId } from '../support/client.ts'
import { verify } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** Verifies the requests in a sandbox. The sandbox `matched` has one request. */
const verifyIn = (verification: JsonObject, sandbox = 'matched') => verify(sim(), verification, `?sandbox=${sandbox}`)

describe('a match', () => {
  const otherProduct = '00000000-0000-4000-9000-000000000001'
  beforeAll(async () => {
    const properties = { plan: { name: 'pro', seats: 3 }, 'a/b': 1, nothing: null }
    const body = event({ eventType: 'purchase', tags: ['a', 'b'], properties })
    await call(sim(), '/_s/matched/v1/events?period=7d&tag=a&tag=b', { body, headers: { 'x-team': 'blue' } })
  })

  /** Conditions that the request fulfills, in different notations. */
  const fulfilled: JsonObject[] = [
    { method: 'post' },
    { path: '/_s/matched/v1/events' },
    { path: '/v1/events' },
    { status: 201 },
    { status: '201' },
    { status: '2XX' },
    { origin: 'contract' },
    { violations: false, advice: true },
    { product: productId.toUpperCase() },
    { query: { period: '7d', tag: 'b', more: null } },
    { header: { 'X-Team': 'blue', 'x-other': null } },
    { body: { '/properties/plan/name': 'pro', '/tags/1': 'b', '/properties/a~1b': 1 } },
    { body: { '/properties/nothing': null } },
    { body: { '/properties/plan': { seats: 3, name: 'pro' } } },
    { body: { properties: { plan: { name: 'pro' } }, tags: ['a', 'b'] } },
  ]
  test.each(fulfilled)('%j is fulfilled', async (match) => {
    expect(await verifyIn({ match, force: true })).toMatchObject({ status: 200, count: 1 })
  })

  /** Conditions that the request does not fulfill, each with the field that differs and its actual value, if any. */
  const unfulfilled: [JsonObject, string, Json?][] = [
    [{ method: 'GET' }, 'method', 'POST'],
    [{ path: '/v1/prompts' }, 'path', '/v1/events'],
    [{ status: 400 }, 'status', 201],
    [{ status: '4xx' }, 'status', 201],
    [{ origin: 'scenario' }, 'origin', 'contract'],
    [{ violations: true }, 'violations', false],
    [{ advice: false }, 'advice', true],
    [{ model: modelId }, 'model'],
    [{ product: otherProduct }, 'product', productId],
    [{ query: { period: '30d' } }, 'query/period', '7d'],
    [{ query: { more: '1' } }, 'query/more'],
    [{ query: { period: null } }, 'query/period', '7d'],
    [{ header: { 'X-Team': 'red' } }, 'header/x-team', 'blue'],
    [{ header: { 'x-team': null } }, 'header/x-team', 'blue'],
    [{ body: { '/eventType': 'signup' } }, 'body/eventType', 'purchase'],
    [{ body: { '/tags/2': 'c' } }, 'body/tags/2'],
    [{ body: { '/toString': 'x' } }, 'body/toString'],
    [{ body: { properties: { plan: { seats: 4 } } } }, 'body/properties/plan/seats', 3],
    [{ body: { tags: ['a'] } }, 'body/tags', ['a', 'b']],
  ]
  test.each(unfulfilled)('%j differs in %s', async (match, field, actual) => {
    const { status, nearMisses } = await verifyIn({ match, force: true })
    const [{ differences } = { differences: [] }] = nearMisses as { differences: JsonObject[] }[]
    const found = differences.map((difference) => [difference['field'], difference['actual']])
    expect([status, found]).toEqual([417, [[field, actual]]])
  })

  test.each(['not json', ''])('differs in the whole body if the request’s body is %j', async (body) => {
    const sandbox = `other${body.length}`
    await call(sim(), '/v1/events', { method: 'POST', body, headers: { 'x-sim-sandbox': sandbox } })
    const match = { body: { eventType: 'a' } }
    const nearest = { differences: [{ field: 'body', expected: match.body }] }
    expect(await verifyIn({ match }, sandbox)).toMatchObject({ status: 417, nearMisses: [nearest] })
  })
})

const control = (path: string, body?: JsonObject) =>
  call(sim(), `/__sim${path}`, { token: null, ...(body && { body }) })

const noRequests = { count: { exactly: 0 } }
const verifyNoRequests = (query: JsonObject) => control('/verify', { ...query, ...noRequests })
const count = (query: JsonObject) => control('/requests/count', query)

describe('a condition', () => {
  test.each([
    ['on an unknown operation', { operation: 'createEvnt' }, /Unknown operation "createEvnt".*createEvent/],
    ['on an unknown pointer', { match: { body: { '/eventTyp': 'a' } } }, /field "\/eventTyp".*\/eventType/],
    ['on another operation’s field', { operation: 'createEvent', match: { body: { '/name': 'a' } } }, /field "\/name"/],
    ['on a misspelled parameter', { match: { query: { perod: '7d' } } }, /parameter "perod"\. Did you mean "period"\?/],
  ])('%s is refused by verify and count unless "force" is set', async (_name, query, message) => {
    for (const check of [verifyNoRequests, count]) {
      expectRefusal(await check(query), 400, message)
      expect((await check({ ...query, force: true })).status).toBe(200)
    }
  })

  test.each(['/eventType', '/properties/plan', ''])('on the known pointer "%s" is accepted', async (pointer) => {
    const query = { operation: 'createEvent', match: { body: { [pointer]: 'x' } }, ...noRequests }
    expect((await control('/verify', query)).status).toBe(200)
  })

  test('on an unknown operation is refused by the request list and its stream', async () => {
    for (const path of ['/requests?operation=foo', '/requests/stream?operation=foo']) {
      expectRefusal(await control(path), 400, /Unknown operation "foo"/)
    }
  })
})

describe('a sandbox that was never used', () => {
  test.each(['/report', '/retries'])('causes a 404 for %s', async (path) => {
    expectRefusal(await control(`${path}?sandbox=tpyo`), 404, /"tpyo" was never used/)
    expect((await control(path)).status).toBe(200)
    expect((await control(`${path}?sandbox=*`)).status).toBe(200)
  })

  test('requires "force" to verify that no requests were sent', async () => {
    expect((await control('/verify?sandbox=tpyo', noRequests)).status).toBe(404)
    expect((await control('/verify?sandbox=tpyo', { ...noRequests, force: true })).status).toBe(200)
    expect((await control('/verify?sandbox=tpyo', { count: { atLeast: 1 } })).status).toBe(417)
  })

  test('becomes known as soon as a request uses it', async () => {
    await call(sim(), '/v1/events', { body: event(), headers: { 'x-sim-sandbox': 'used' } })
    expect((await control('/report?sandbox=used')).status).toBe(200)
    expect((await control('/verify?sandbox=used', { operation: 'createPrompt', ...noRequests })).status).toBe(200)
  })
})
