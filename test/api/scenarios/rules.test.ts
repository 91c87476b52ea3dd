import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import {
  analyticsPath,
  ask,
  askOperation,
  errorOf,
  event,
  expectRefusal,
  modelId,
  operations,
  productId,
  prompt,
  type RequestOptions,
} from '../../support/client.ts'
import { putRules, steer } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'

const sim = sharedSimulator()

/** A sandbox that no other test of this file has used. */
let sandboxes = 0
const freshSandbox = () => `rules-${++sandboxes}`

/** Puts rules into such a sandbox, and returns its name. */
async function sandboxWith(rules: JsonObject[]): Promise<string> {
  const sandbox = freshSandbox()
  await putRules(sim(), rules, sandbox)
  return sandbox
}

const within = (sandbox: string, how: RequestOptions = {}): RequestOptions => ({
  ...how,
  headers: { ...how.headers, 'x-sim-sandbox': sandbox },
})

type Sent = readonly [path: string, how: RequestOptions]

/** The status of each of these requests, one after another. */
async function statusesOf(target: TestSimulator, sandbox: string, requests: readonly Sent[]) {
  const statuses: number[] = []
  for (const [path, how] of requests) statuses.push((await ask(target, path, within(sandbox, how))).status)
  return statuses
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)
const analytics: Sent = [analyticsPath, {}]

/** The answer of `GET scenarios` in a sandbox without rules. */
const noRules = { rules: [], startUp: [], counts: { rules: [], startUp: [] } }

const shopModel = '00000000-0000-4000-8000-000000000001'
const shop = '00000000-0000-4000-9000-000000000001'
const ofModel = (id: string) => `/v1/models/${id}/analytics`
const analyticsOf = (id: string): Sent => [ofModel(id), {}]
const sent = (fields: JsonObject = {}): Sent => ['/v1/events', { body: event(fields) }]
const drafted: Sent = ['/v1/prompts', { body: prompt() }]

describe('a rule is about', () => {
  const withHeader = (name: string, value: string): Sent => [analyticsPath, { headers: { [name]: value } }]
  const of = (period: string): Sent => [`${analyticsPath}?period=${period}`, {}]
  const all = { product: productId, header: { 'x-a': '1' }, body: { '/value': '7' } }
  const allMet: Sent = ['/v1/events', { body: event({ value: '7' }), headers: { 'x-a': '1' } }]

  test.each<[string, JsonObject, Sent, Sent]>([
    ['a model', { model: modelId }, analytics, analyticsOf(shopModel)],
    ['a model, whose id may be in capitals', { model: modelId.toUpperCase() }, analytics, sent()],
    [
      'a product of a body',
      { product: productId },
      sent({ productId: productId.toUpperCase() }),
      sent({ productId: shop }),
    ],
    ['a product, and so the analytics of its models', { product: shop }, analyticsOf(shopModel), analytics],
    [
      'a header, whose name has any case and whose value its own',
      { header: { 'X-A': 'B' } },
      withHeader('x-a', 'B'),
      withHeader('x-a', 'b'),
    ],
    ['a field', { body: { '/eventType': 'a' } }, sent({ eventType: 'a' }), sent({ eventType: 'A' })],
    ['a method, in any case', { method: 'post' }, sent(), analytics],
    ['a path', { path: analyticsPath }, of('7d'), analyticsOf(shopModel)],
    ['a query parameter', { query: { period: '7d' } }, of('7d'), of('90d')],
    ['a query parameter that is not sent', { path: analyticsPath, query: { period: null } }, analytics, of('90d')],
    ['a header that is not sent', { header: { 'X-Retry': null } }, analytics, withHeader('x-retry', '1')],
    ['everything that it names, at once', all, allMet, sent({ value: '7' })],
  ])('%s', async (_name, match, hit, missed) => {
    const sandbox = await sandboxWith([{ match, scenario: 'unavailable' }])
    const [caught, passed] = await statusesOf(sim(), sandbox, [hit, missed])
    expect(caught).toBe(503)
    expect([200, 201]).toContain(passed)
  })

  test('an operation, also together with a match', async () => {
    const sandbox = freshSandbox()
    const rules = [
      { operation: 'createPrompt' },
      { operation: 'getModelAnalytics', match: { query: { period: null } } },
    ]
    await putRules(
      sim(),
      rules.map((rule) => ({ ...rule, scenario: 'unavailable' })),
      sandbox,
    )
    expect(await statusesOf(sim(), sandbox, [drafted, sent(), analytics, of('7d')])).toEqual([503, 201, 503, 200])
  })

  test('every request, where it names nothing', async () => {
    const sandbox = await sandboxWith([{ scenario: 'unavailable' }])
    for (const operation of operations) expect((await askOperation(sim(), operation, within(sandbox))).status).toBe(503)
  })

  test('a body that is no JSON matches nothing, and is refused as ever', async () => {
    const sandbox = await sandboxWith([{ match: { body: { '/eventType': 'a' } }, scenario: 'unavailable' }])
    expect(await statusesOf(sim(), sandbox, [['/v1/events', { body: '{"eventType":"a"' }]])).toEqual([400])
  })
})

describe('of several rules', () => {
  test('the first that acts is the only one', async () => {
    const sandbox = freshSandbox()
    await putRules(
      sim(),
      [
        { match: { model: modelId }, scenario: 'not-found' },
        { scenario: 'unavailable, slow;ms=1' },
        { scenario: 'server-error' },
      ],
      sandbox,
    )
    expect(await statusesOf(sim(), sandbox, [analytics, [ofModel(shopModel), {}]])).toEqual([404, 503])
  })

  test('one that is used up makes way for the next', async () => {
    const sandbox = freshSandbox()
    const rules = [
      { scenario: 'rate-limited', times: 2 },
      { scenario: 'unavailable', times: 1 },
    ]
    await putRules(sim(), rules, sandbox)
    expect(await statusesOf(sim(), sandbox, times(5, analytics))).toEqual([429, 429, 503, 200, 200])
  })

  test('one whose scenario makes no sense for the request is passed over, and not used up by it', async () => {
    const sandbox = await sandboxWith([{ scenario: 'all-null', times: 1 }, { scenario: 'unavailable' }])
    expect(await statusesOf(sim(), sandbox, [sent(), sent(), analytics, analytics])).toEqual([503, 503, 200, 503])
  })
})

describe('times', () => {
  test('counts requests that come at once, too', async () => {
    const sandbox = await sandboxWith([{ scenario: 'unavailable', times: 7 }])
    const answers = await Promise.all(times(30, 0).map(() => ask(sim(), analyticsPath, within(sandbox))))
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(7)
  })

  test('counts all operations together', async () => {
    const sandbox = await sandboxWith([{ scenario: 'unavailable', times: 2 }])
    const statuses = []
    for (const operation of operations) statuses.push((await askOperation(sim(), operation, within(sandbox))).status)
    expect(statuses).toEqual([503, 503, 201])
  })

  test('counts nothing that a request has switched on itself', async () => {
    const sandbox = await sandboxWith([{ scenario: 'unavailable', times: 1 }])
    const own = [analyticsPath, { headers: { 'x-sim-scenario': 'not-found' } }] as const
    expect(await statusesOf(sim(), sandbox, [own, own, analytics, analytics])).toEqual([404, 404, 503, 200])
  })
})

describe('probability', () => {
  const flaky = [{ scenario: 'unavailable', probability: 0.5 }]
  const fates = (target: TestSimulator, sandbox: string) => statusesOf(target, sandbox, times(40, analytics))

  test('0.5 strikes about half of the requests', async () => {
    const sandbox = await sandboxWith(flaky)
    const struck = (await fates(sim(), sandbox)).filter((status) => status === 503).length
    expect(struck).toBeGreaterThan(8)
    expect(struck).toBeLessThan(32)
  })

  test('meets the same requests in another simulator, whatever others do meanwhile', async () => {
    const [one, other] = [await startForTest(), await startForTest()]
    // Rules of other sandboxes, put before, are not to be felt.
    for (let index = 0; index < 3; index += 1) await putRules(other, flaky, `other-${index}`)
    await putRules(one, flaky, 'same')
    await putRules(other, flaky, 'same')
    const [here, there] = await Promise.all([fates(one, 'same'), fates(other, 'same'), fates(other, 'other-1')])
    expect(there).toEqual(here)
  })

  test('meets the same requests again after a reset', async () => {
    const sandbox = await sandboxWith(flaky)
    const first = await fates(sim(), sandbox)
    await steer(sim(), 'POST', `/reset?sandbox=${sandbox}`)
    await putRules(sim(), flaky, sandbox)
    expect(await fates(sim(), sandbox)).toEqual(first)
  })

  test('meets others under another seed, and in another sandbox', async () => {
    const own = await startForTest({ seed: '2' })
    const fatesBy: number[][] = []
    for (const [target, sandbox] of [
      [sim(), 'chance-a'],
      [sim(), 'chance-b'],
      [own, 'chance-a'],
    ] as const) {
      await putRules(target, flaky, sandbox)
      fatesBy.push(await fates(target, sandbox))
    }
    expect(new Set(fatesBy.map((list) => list.join(' '))).size).toBe(3)
  })

  test('of a scenario, p, is drawn the same way', async () => {
    const other = await startForTest()
    const headers = { 'x-sim-scenario': 'unavailable;p=0.5' }
    const request = [analyticsPath, { headers }] as const
    const here = await statusesOf(sim(), 'p', times(30, request))
    expect(await statusesOf(other, 'p', times(30, request))).toEqual(here)
    expect(new Set(here)).toEqual(new Set([200, 503]))
  })

  test('of two scenarios together, each is struck by its own chance', async () => {
    const headers = { 'x-sim-scenario': 'unavailable;p=0.5, slow;ms=0;p=0.5' }
    const acting = new Set<string | null>()
    for (let asked = 0; asked < 40; asked += 1)
      acting.add((await ask(sim(), analyticsPath, within('p2', { headers }))).headers.get('x-sim-scenario'))
    expect(acting.size).toBe(4)
  })

  test('where the rule does not strike, the next one is asked', async () => {
    const sandbox = await sandboxWith([...flaky, { scenario: 'rate-limited' }])
    expect(new Set(await fates(sim(), sandbox))).toEqual(new Set([429, 503]))
  })
})

describe('PUT /__sim/scenarios', () => {
  const rule: JsonObject = {
    operation: 'createEvent',
    match: { body: { '/eventType': 'a' } },
    scenario: 'unavailable',
    times: 2,
  }

  test('gives back what is on, and GET and DELETE agree', async () => {
    const sandbox = freshSandbox()
    const path = `/scenarios?sandbox=${sandbox}`
    expect(await steer(sim(), 'GET', path)).toEqual(noRules)
    expect(await steer(sim(), 'PUT', path, { rules: [rule] })).toEqual({ rules: [rule] })
    const counts = { rules: [{ acted: 0, left: 2 }], startUp: [] }
    expect(await steer(sim(), 'GET', path)).toEqual({ rules: [rule], startUp: [], counts })
    expect(await steer(sim(), 'DELETE', path)).toEqual({ rules: [] })
    expect(await steer(sim(), 'GET', path)).toEqual(noRules)
    expect(await statusesOf(sim(), sandbox, [['/v1/events', { body: event({ eventType: 'a' }) }]])).toEqual([201])
  })

  test('takes all rules or none, and names every problem with its place', async () => {
    const sandbox = await sandboxWith([{ scenario: 'not-found' }])
    const rules = [
      { scenario: 'unavailable' },
      { operation: 'createPromt', scenario: 'unavailable' },
      { scenario: 'rate-limited;retry-after=soon' },
      { operation: 'createEvent', scenario: 'critical' },
      { sequence: '429*2, 499' },
      { operation: 'createEvent', scenario: '503', match: { body: { '/eventTyp': 'a' } } },
      { scenario: 'slow;delay=1' },
    ]
    const answer = await ask(sim(), `/__sim/scenarios?sandbox=${sandbox}`, { method: 'PUT', body: { rules } })
    expect(answer.status).toBe(400)
    const error = errorOf(answer)
    expect(error).toMatch(
      /\/rules\/1\/operation: There is no operation "createPromt"\. Did you mean "createPrompt"\? Known: getModelAnalytics, /,
    )
    expect(error).toMatch(/\/rules\/2\/scenario: .*"retry-after" a whole number from 0 to 86400 \(s\); got "soon"/)
    expect(error).toMatch(/\/rules\/3: "critical" makes no sense here/)
    expect(error).toMatch(/\/rules\/4\/sequence: There is no scenario "499"/)
    expect(error).toMatch(
      /\/rules\/5\/match\/body: No request body has the field "\/eventTyp"\. Did you mean "\/eventType"\? Known: \/eventType, /,
    )
    expect(error).toMatch(/\/rules\/6\/scenario: .*has no parameter "delay"; it takes: ms, /)
    expect(error).not.toMatch(/\/rules\/0/)
    expect(await statusesOf(sim(), sandbox, [analytics])).toEqual([404])
  })

  test('names shape and meaning together, with pointers of one form', async () => {
    const rules = [
      { scenario: 'nonsense' },
      { scenario: 503, match: { model: 5, path: '/v1/nowhere' } },
      { sequence: 429, probabillity: 1 },
    ]
    const answer = await ask(sim(), '/__sim/scenarios', { method: 'PUT', body: { rules }, token: null })
    expect(answer.status).toBe(400)
    const places = ['0/scenario', '1/scenario', '1/match/model', '1/match/path', '2/sequence', '2/probabillity']
    expect(errorOf(answer).match(/\S+\/\S+: /g)).toEqual(places.map((place) => `body/rules/${place}: `))
    expect(errorOf(answer)).toContain('write "503", in quotes.')
    expect(errorOf(answer)).toMatch(/did you mean "probability"\?$/)
  })

  test('only the first hundred problems are listed', async () => {
    const body = { rules: times(1000, { scenario: 'unknown' }) }
    const error = errorOf(await ask(sim(), '/__sim/scenarios', { method: 'PUT', body, token: null }))
    expect(error.match(/There is no scenario/g)).toHaveLength(100)
    expect(error).toMatch(/There may be more problems: the check stops after 100\.$/)
  })

  const event503 = { operation: 'createEvent', scenario: '503' }

  test.each<[string, Json, RegExp]>([
    ['a rule that is none', 'unavailable', /\/rules\/0/],
    [
      'a part of the body with an unknown field',
      { scenario: '503', match: { body: { eventTyp: 'a' } } },
      /\/rules\/0\/match\/body: No request body has the field "\/eventTyp"\. Did you mean "\/eventType"/,
    ],
    [
      'a method that the operation does not have',
      { ...event503, match: { method: 'GET' } },
      /\/rules\/0\/match\/method: No request of createEvent has the method "GET", but POST\./,
    ],
    [
      'the path of another operation',
      { ...event503, match: { path: '/v1/prompts' } },
      /\/rules\/0\/match\/path: No request of createEvent has the path "\/v1\/prompts"\. Known: \/v1\/events\./,
    ],
    [
      'a query parameter that there is not',
      { scenario: '503', match: { query: { perod: '7d' } } },
      /\/rules\/0\/match\/query: There is no query parameter "perod"\. Did you mean "period"\?/,
    ],
    [
      'a condition on the answer',
      { scenario: '503', match: { status: 200 } },
      /match\/status: is not allowed here; known: model, product, method, path, traceId, query, header, body/,
    ],
    ['a scenario of commas alone', { scenario: ', ,' }, /empty item/],
    ['two answers at once', { scenario: '503, 429' }, /cannot both act/],
    ['a text of 2001 characters', { scenario: '5'.repeat(2001) }, /\/rules\/0\/scenario.*2000/],
    ['a field that every object has', { scenario: '503', match: { body: { '/constructor': 1 } } }, /No request body/],
    ['another such name', { scenario: '503', match: { body: { '/__proto__': 1 } } }, /No request body/],
    ['such a name as operation', { operation: 'constructor', scenario: '503' }, /no operation/],
    ['such a name as scenario', { scenario: 'constructor' }, /no scenario/],
  ])('refuses %s', (_name, rule, says) => expectRefused({ rules: [rule] }, says))

  test.each<[string, Json, RegExp]>([
    ['no object', [], /body/],
    ['no rules', {}, /rules/],
    ['1001 rules', { rules: times(1001, { scenario: '503' }) }, /1000/],
  ])('refuses %s', (_name, body, says) => expectRefused(body, says))

  async function expectRefused(body: Json, says: RegExp): Promise<void> {
    const sandbox = freshSandbox()
    const path = `/__sim/scenarios?sandbox=${sandbox}`
    expectRefusal(await ask(sim(), path, { method: 'PUT', body }), 400, says)
    expect(await steer(sim(), 'GET', `/scenarios?sandbox=${sandbox}`)).toEqual(noRules)
  }
})

describe('precedence: request > sandbox > start-up > default', () => {
  /** Each scope by what it would answer on its own. */
  const scopes = {
    control: { headers: { 'x-sim-scenario': '400' } },
    sequence: { headers: { 'x-sim-sequence': '404' } },
    prefer: { headers: { prefer: 'code=403' } },
    token: { token: 'key_unauthorized' },
    model: { path: ofModel('00000000-0000-4000-8000-000000000429') },
    none: {},
  } as const satisfies Record<string, RequestOptions & { path?: string }>

  test.each<[keyof typeof scopes, boolean, boolean, number]>([
    ['control', true, true, 400],
    ['control', false, true, 400],
    ['sequence', true, true, 404],
    ['prefer', true, true, 403],
    ['token', true, true, 401],
    ['token', false, true, 401],
    ['model', false, true, 429],
    ['none', true, true, 500],
    ['none', true, false, 500],
    ['none', false, true, 503],
    ['none', false, false, 200],
  ])('asked by %s, sandbox rule %s, --scenario %s: %d', async (scope, bySandbox, atStart, status) => {
    const own = await startForTest(atStart ? { scenario: '503' } : {})
    if (bySandbox) await putRules(own, [{ scenario: '500' }])
    const { path = analyticsPath, ...how }: RequestOptions & { path?: string } = scopes[scope]
    expect((await ask(own, path, how)).status).toBe(status)
  })

  test('in the request a control goes before a magic token and a magic model', async () => {
    const headers = { 'x-sim-scenario': '400' }
    const magicModel = ofModel('00000000-0000-4000-8000-000000000404')
    expect((await ask(sim(), magicModel, { token: 'key_server_error', headers })).status).toBe(400)
    expect((await ask(sim(), magicModel)).status).toBe(404)
  })

  test('a control that asks for the service as it is hides every wider scope', async () => {
    const own = await startForTest({ scenario: 'unavailable' })
    await putRules(own, [{ scenario: 'server-error' }])
    expect((await ask(own, analyticsPath, { headers: { 'x-sim-scenario': '200' } })).status).toBe(200)
  })

  test('a rule that asks for the service as it is hides the start-up', async () => {
    const own = await startForTest({ scenario: 'unavailable' })
    await putRules(own, [{ scenario: '200' }])
    expect((await ask(own, analyticsPath)).status).toBe(200)
    expect((await ask(own, '/v1/events', { body: event() })).status).toBe(201)
  })

  test('a sandbox rule that is about other requests leaves the start-up in force', async () => {
    const own = await startForTest({ scenario: 'unavailable' })
    await putRules(own, [{ operation: 'createEvent', scenario: '500' }])
    expect((await ask(own, analyticsPath)).status).toBe(503)
    expect(await steer(own, 'GET', '/scenarios')).toEqual({
      rules: [{ operation: 'createEvent', scenario: '500' }],
      startUp: [{ scenario: 'unavailable' }],
      counts: { rules: [{ acted: 0 }], startUp: [{ acted: 1 }] },
    })
  })
})
