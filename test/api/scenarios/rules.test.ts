import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import {
  analyticsPath,
  call,
  errorOf,
  event,
  expectRefusal,
  modelId,
  productId,
  prompt,
  type RequestOptions,
} from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { documentWithPaths } from '../../support/documents.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'

const sim = sharedSimulator()

let sandboxCount = 0
const newSandboxName = () => `rules-${++sandboxCount}`

/** Sets rules in a new sandbox and returns the name of the sandbox. */
async function sandboxWith(rules: JsonObject[]): Promise<string> {
  const sandbox = newSandboxName()
  await putRules(sim(), rules, sandbox)
  return sandbox
}

type Call = readonly [path: string, options: RequestOptions]

/** Sends requests one after the other and returns their statuses. */
async function statusesOf(target: TestSimulator, sandbox: string, requests: readonly Call[]) {
  const statuses: number[] = []
  for (const [path, options] of requests) statuses.push((await call(target, path, { ...options, sandbox })).status)
  return statuses
}

const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const analytics: Call = [analyticsPath, {}]

/** The response to `GET /__sim/scenarios` for a sandbox without rules. */
const noRules = { rules: [], startup: [], counts: { rules: [], startup: [] } }

const shopModel = '00000000-0000-4000-8000-000000000001'
const shop = '00000000-0000-4000-9000-000000000001'
const analyticsPathOf = (id: string) => `/v1/models/${id}/analytics`
const analyticsOf = (id: string): Call => [analyticsPathOf(id), {}]
const anEvent = (fields: JsonObject = {}): Call => ['/v1/events', { body: event(fields) }]
const aPrompt: Call = ['/v1/prompts', { body: prompt() }]

test.each([
  [{ scenario: 'rate-limited', parameters: { 'retry-after': 3 } }, 'rate-limited;retry-after=3'],
  [{ scenario: 'status', parameters: { code: 418, body: 'a;b' } }, 'status;code=418;body="a;b"'],
  [{ scenario: 'slow;ms=1', parameters: { ms: 2 } }, /: body\/rules\/0\/parameters: .*must be one name/],
  [
    { sequence: '429, 200', parameters: { ms: 2 } },
    /body\/rules\/0\/parameters: With parameters, "scenario" must be one/,
  ],
])('the parameters of the rule %j become part of its scenario, or the rule is refused: %s', async (rule, expected) => {
  const request = { method: 'PUT', token: null, body: { rules: [rule] } }
  const response = await call(sim(), `/__sim/scenarios?sandbox=${newSandboxName()}`, request)
  if (typeof expected === 'string') expect(response.body).toEqual({ rules: [{ scenario: expected }] })
  else expect(errorOf(response)).toMatch(expected)
})

describe('a rule matches', () => {
  const week: Call = [`${analyticsPath}?period=7d`, {}]
  const all = { product: productId, header: { 'x-a': '1' }, body: { '/value': '7' } }
  const matchingCall: Call = ['/v1/events', { body: event({ value: '7' }), headers: { 'x-a': '1' } }]

  test.each<[string, JsonObject, Call, Call]>([
    ['requests for a model', { model: modelId }, analytics, analyticsOf(shopModel)],
    ['requests for the analytics of a product’s models', { product: shop }, analyticsOf(shopModel), analytics],
    ['only requests that satisfy all its conditions', all, matchingCall, anEvent({ value: '7' })],
  ])('%s', async (_name, match, hit, missed) => {
    const sandbox = await sandboxWith([{ match, scenario: 'unavailable' }])
    const [caught, passed] = await statusesOf(sim(), sandbox, [hit, missed])
    expect(caught).toBe(503)
    expect([200, 201]).toContain(passed)
  })

  test('requests for an operation, with or without further conditions', async () => {
    const sandbox = await sandboxWith([
      { operation: 'createPrompt', scenario: 'unavailable' },
      { operation: 'getModelAnalytics', match: { query: { period: null } }, scenario: 'unavailable' },
    ])
    expect(await statusesOf(sim(), sandbox, [aPrompt, anEvent(), analytics, week])).toEqual([503, 201, 503, 200])
  })

  test('only valid JSON if the rule has a body condition, so broken JSON gets the usual 400', async () => {
    const sandbox = await sandboxWith([{ match: { body: { '/eventType': 'a' } }, scenario: 'unavailable' }])
    expect(await statusesOf(sim(), sandbox, [['/v1/events', { body: '{"eventType":"a"' }]])).toEqual([400])
  })
})

describe('among several rules,', () => {
  test('only the first rule that matches a request is applied to it, until the rule is used up', async () => {
    const sandbox = await sandboxWith([
      { match: { model: modelId }, scenario: 'not-found', times: 2 },
      { scenario: 'unavailable, slow;ms=1', times: 2 },
      { scenario: 'server-error' },
    ])
    const requests = [analytics, analyticsOf(shopModel), analytics, analytics, analytics]
    expect(await statusesOf(sim(), sandbox, requests)).toEqual([404, 503, 404, 503, 500])
  })

  test('a rule whose scenario cannot apply to a request is skipped and does not count the request', async () => {
    const sandbox = await sandboxWith([{ scenario: 'all-null', times: 1 }, { scenario: 'unavailable' }])
    expect(await statusesOf(sim(), sandbox, [anEvent(), anEvent(), analytics, analytics])).toEqual([503, 503, 200, 503])
  })
})

describe('probability', () => {
  const flaky = [{ scenario: 'unavailable', probability: 0.5 }]
  const send40 = (target: TestSimulator, sandbox: string) => statusesOf(target, sandbox, repeat(40, analytics))

  test('selects the same requests in another simulator, regardless of requests in other sandboxes', async () => {
    const [one, other] = [await startForTest(), await startForTest()]
    // Rules set earlier in other sandboxes must have no effect.
    for (let index = 0; index < 3; index += 1) await putRules(other, flaky, `other-${index}`)
    await putRules(one, flaky, 'same')
    await putRules(other, flaky, 'same')
    const [here, there] = await Promise.all([send40(one, 'same'), send40(other, 'same'), send40(other, 'other-1')])
    expect(there).toEqual(here)
  })

  test('selects different requests with another seed or in another sandbox', async () => {
    const own = await startForTest({ seed: '2' })
    const allStatuses: number[][] = []
    for (const target of [sim(), own])
      for (const sandbox of ['chance-a', 'chance-b']) {
        await putRules(target, flaky, sandbox)
        allStatuses.push(await send40(target, sandbox))
      }
    expect(new Set(allStatuses.map((list) => list.join(' '))).size).toBe(4)
  })

  test('is applied separately to each of two combined scenarios', async () => {
    const options = { sandbox: 'p2', scenario: 'unavailable;p=0.5, slow;ms=0;p=0.5' }
    const combinations = new Set<string | null>()
    for (let count = 0; count < 40; count += 1)
      combinations.add((await call(sim(), analyticsPath, options)).headers.get('x-sim-scenario'))
    expect(combinations.size).toBe(4)
  })

  test('0.5 applies a rule to about half of the requests, and the next rule applies to the rest', async () => {
    const statuses = await send40(sim(), await sandboxWith([...flaky, { scenario: 'rate-limited' }]))
    const faulted = statuses.filter((status) => status === 503).length
    expect(faulted).toBeGreaterThan(8)
    expect(faulted).toBeLessThan(32)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - faulted)
  })
})

describe('PUT /__sim/scenarios', () => {
  const match = { body: { '/eventType': 'a' } }
  const rule: JsonObject = { operation: 'createEvent', match, scenario: 'unavailable', times: 2 }

  test('returns the new rules, which GET also returns until DELETE removes them', async () => {
    const sandbox = newSandboxName()
    const path = `/scenarios?sandbox=${sandbox}`
    expect(await callControl(sim(), 'GET', path)).toEqual(noRules)
    expect(await callControl(sim(), 'PUT', path, { rules: [rule] })).toEqual({ rules: [rule] })
    const counts = { rules: [{ applied: 0, left: 2 }], startup: [] }
    expect(await callControl(sim(), 'GET', path)).toEqual({ rules: [rule], startup: [], counts })
    expect(await callControl(sim(), 'DELETE', path)).toEqual({ rules: [] })
    expect(await callControl(sim(), 'GET', path)).toEqual(noRules)
    expect(await statusesOf(sim(), sandbox, [anEvent({ eventType: 'a' })])).toEqual([201])
  })

  const event503 = { operation: 'createEvent', scenario: '503' }

  test.each<[string, Json, RegExp]>([
    ['a type other than object', 'unavailable', /\/rules\/1/],
    ['a method that the operation does not have', { ...event503, match: { method: 'GET' } }, /Known: POST\./],
    ['the path of another operation', { ...event503, match: { path: '/v1/prompts' } }, /Known: \/v1\/events\./],
    ['an unknown query parameter', { scenario: '503', match: { query: { perod: '7d' } } }, /Did you mean "period"\?/],
    ['a condition on the response', { scenario: '503', match: { status: 200 } }, /match\/status: is not allowed here/],
    ['a scenario that consists of commas', { scenario: ', ,' }, /empty item/],
    ['two responses at once', { scenario: '503, 429' }, /cannot both act/],
    ['a scenario of 2,001 characters', { scenario: '5'.repeat(2001) }, /\/rules\/1\/scenario.*2000/],
    ['a condition on /constructor', { scenario: '503', match: { body: { '/constructor': 1 } } }, /No request body/],
  ])('refuses all rules if one has %s', async (_name, rule, pattern) => {
    const sandbox = newSandboxName()
    const body = { rules: [{ scenario: 'not-found' }, rule] }
    expectRefusal(await call(sim(), `/__sim/scenarios?sandbox=${sandbox}`, { method: 'PUT', body }), 400, pattern)
    expect(await callControl(sim(), 'GET', `/scenarios?sandbox=${sandbox}`)).toEqual(noRules)
  })
})

describe('precedence: request > sandbox > startup', () => {
  /** A request for each way to select a scenario, and one that selects none. */
  const requests = {
    control: { headers: { 'x-sim-scenario': '400' } },
    sequence: { headers: { 'x-sim-sequence': '404' } },
    prefer: { headers: { prefer: 'code=403' } },
    token: { token: 'key_unauthorized' },
    model: { path: analyticsPathOf('00000000-0000-4000-8000-000000000429') },
    none: {},
  } as const satisfies Record<string, RequestOptions & { path?: string }>

  test.each<[keyof typeof requests, boolean, boolean, number]>([
    ['control', true, true, 400],
    ['sequence', true, true, 404],
    ['prefer', true, true, 403],
    ['token', true, true, 401],
    ['model', false, true, 429],
    ['none', true, true, 500],
    ['none', true, false, 500],
    ['none', false, true, 503],
    ['none', false, false, 200],
  ])('request: %s, rule: %s, --scenario: %s, status: %d', async (request, hasSandboxRule, hasStartupRule, status) => {
    const own = await startForTest(hasStartupRule ? { scenario: '503' } : {})
    if (hasSandboxRule) await putRules(own, [{ scenario: '500' }])
    const { path = analyticsPath, ...options }: RequestOptions & { path?: string } = requests[request]
    expect((await call(own, path, options)).status).toBe(status)
  })

  test('a rule with the scenario 200 overrides startup rules only for the requests that it matches', async () => {
    const own = await startForTest({ scenario: 'unavailable' })
    const rules = [{ operation: 'createEvent', scenario: '200' }]
    await putRules(own, rules)
    expect((await call(own, '/v1/events', { body: event() })).status).toBe(201)
    expect((await call(own, analyticsPath)).status).toBe(503)
    const counts = { rules: [{ applied: 1 }], startup: [{ applied: 1 }] }
    expect(await callControl(own, 'GET', '/scenarios')).toEqual({
      rules,
      startup: [{ scenario: 'unavailable' }],
      counts,
    })
  })
})

test.each<[string, JsonObject]>([
  ['a free-form object', { type: 'object', additionalProperties: true }],
  ['an object or null', { type: ['object', 'null'] }],
  ['any value', {}],
])('a rule can have a condition on a member of a request body whose schema allows %s', async (_, schema) => {
  const content = { 'application/json': { schema } }
  const post = { operationId: 'postAny', requestBody: { content }, responses: { 200: { description: 'OK' } } }
  const own = await startForTest({ contract: await documentWithPaths({ '/any': { post } }) })
  await putRules(own, [{ operation: 'postAny', match: { body: { '/a': 'b' } }, scenario: '404' }])
  expect((await call(own, '/v1/any', { body: { a: 'b' } })).status).toBe(404)
  expect((await call(own, '/v1/any', { body: { a: 'c' } })).status).toBe(200)
})
