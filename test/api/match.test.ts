import { beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { ask, event, modelId, objectOf, productId } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

/** Verifies the requests of a sandbox; that of `matched` has one. */
async function verify(verification: JsonObject, sandbox = 'matched') {
  const response = await ask(sim(), `/__sim/verify?sandbox=${sandbox}`, { body: verification, token: null })
  return { ...objectOf(response), status: response.status } as JsonObject & { status: number }
}

describe('a match', () => {
  const otherProduct = '00000000-0000-4000-9000-000000000001'
  beforeAll(async () => {
    const properties = { plan: { name: 'pro', seats: 3 }, 'a/b': 1, nothing: null }
    const body = event({ eventType: 'purchase', tags: ['a', 'b'], properties })
    await ask(sim(), '/_s/matched/v1/events?period=7d&tag=a&tag=b', { body, headers: { 'x-team': 'blue' } })
  })

  /** Conditions that the request fulfils, each differently written. */
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
    expect(await verify({ match, force: true })).toMatchObject({ status: 200, count: 1 })
  })

  /** Other conditions, with the field in which the request differs, and its value there. */
  const others: [JsonObject, string, Json?][] = [
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
  test.each(others)('%j differs in %s', async (match, field, actual) => {
    const { status, nearMisses } = await verify({ match, force: true })
    const [{ differences } = { differences: [] }] = nearMisses as { differences: JsonObject[] }[]
    const found = differences.map((difference) => [difference['field'], difference['actual']])
    expect([status, found]).toEqual([417, [[field, actual]]])
  })

  test.each(['not json', ''])('differs in the body as a whole if that is %j', async (body) => {
    const sandbox = `other${body.length}`
    await ask(sim(), '/v1/events', { method: 'POST', body, headers: { 'x-sim-sandbox': sandbox } })
    const match = { body: { eventType: 'a' } }
    const nearest = { differences: [{ field: 'body', expected: match.body }] }
    expect(await verify({ match }, sandbox)).toMatchObject({ status: 417, nearMisses: [nearest] })
  })
})
