import { describe, expect } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { analyticsPath, call, event, expectRefusal, modelId, prompt } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest, type TestSimulator, test } from '../support/start.ts'
import { listSandboxes } from '../support/stored-records.ts'

const shared = sharedSimulator()

type Request = { method: string; path: string; headers: Record<string, string>; body?: JsonObject }

const key = { authorization: 'Bearer any-key' }
const analytics: Request = { method: 'GET', path: `${analyticsPath}?period=7d`, headers: key }
const eventRequest: Request = { method: 'POST', path: '/v1/events', headers: key, body: event() }
const promptRequest: Request = { method: 'POST', path: '/v1/prompts', headers: key, body: prompt() }

const explain = (sim: TestSimulator, request: Request, query = '') =>
  callControl(sim, 'POST', `/explain${query}`, request)

async function send(sim: TestSimulator, { path, ...options }: Request) {
  const response = await call(sim, path, { ...options, token: null })
  return { status: response.status, body: response.body ?? null, origin: response.headers.get('x-sim-origin') }
}

/** Returns the readable parts of the state that a request could change. */
async function readState(sim: TestSimulator): Promise<Json> {
  const paths = ['/export', '/export?sandbox=a', '/sequences', '/requests?sandbox=*', '/info', '/scenarios']
  const responses = await Promise.all(paths.map((path) => callControl(sim, 'GET', path)))
  const sandboxes = await listSandboxes(sim)
  return [...responses, sandboxes.map(({ name, seed, rules }) => ({ name, seed, rules }))]
}

const cases: [string, Request, JsonObject[]][] = [
  ['analytics', analytics, []],
  ['an event', eventRequest, []],
  ['an event with an insertId', { ...eventRequest, body: event({ insertId: 'order-1' }) }, []],
  ['a sampled event', { ...eventRequest, body: event({ sampleRate: 0.5 }) }, []],
  ['a prompt', promptRequest, []],
  ['an invalid event', { ...eventRequest, body: { value: 1 } }, []],
  ['an unknown path', { ...analytics, path: '/v1/nowhere' }, []],
  ['no credential', { ...eventRequest, headers: {} }, []],
  ['another sandbox', { ...eventRequest, headers: { authorization: 'Bearer k~a' } }, []],
  ['a scenario in a header', { ...analytics, headers: { ...key, 'x-sim-scenario': '429;retry-after=3' } }, []],
  ['a sequence in a header', { ...analytics, headers: { ...key, 'x-sim-sequence': '429, 200' } }, []],
  ['a scenario with a probability', { ...analytics, headers: { ...key, 'x-sim-scenario': '500;p=0.5' } }, []],
  ['a drift scenario', { ...analytics, headers: { ...key, 'x-sim-scenario': 'drop-field' } }, []],
  ['a rule', analytics, [{ scenario: 'forbidden', times: 1 }]],
  ['a rule with a sequence', eventRequest, [{ operation: 'createEvent', sequence: '503, 201' }]],
  ['a rule with a probability', analytics, [{ scenario: 'server-error', probability: 0.5 }]],
]
test.each(cases)('POST /__sim/explain predicts the response and changes nothing: %s', async (_name, request, rules) => {
  const sim = await startForTest({ maxAnalysesPerHour: 5 })
  await putRules(sim, rules)
  for (let round = 0; round < 3; round += 1) {
    const before = await readState(sim)
    const explained = [await explain(sim, request), await explain(sim, request)]
    expect(explained[1]).toEqual(explained[0])
    expect(await readState(sim)).toEqual(before)
    const { status, body, origin } = await send(sim, request)
    expect(explained[0]?.['response']).toMatchObject({ status, body, origin })
    expect(explained[0]?.['why']).not.toHaveLength(0)
  }
})

describe('an explanation', () => {
  const withHeader = (name: string, value: string) => ({ ...analytics, headers: { ...key, [name]: value } })
  const inapplicableDrift = 'all-null, drop-field;pointer=/recommendations/summary'
  const withScenario = (scenario: string) => withHeader('x-sim-scenario', scenario)
  const withToken = (token: string) => withHeader('authorization', `Bearer ${token}`)
  const magicModel = { ...analytics, path: '/v1/models/00000000-0000-4000-8000-000000000429/analytics' }
  const invalidEvent = { ...eventRequest, body: { productId: modelId } }

  test.each<[string, Request, string, readonly RegExp[]]>([
    ['an unknown path', { ...analytics, path: '/models' }, 'identify', [/returns 404: .*\/models/]],
    ['a wrong method', { ...analytics, method: 'PATCH' }, 'identify', [/returns 405: PATCH is not/]],
    ['no credential', { ...analytics, headers: {} }, 'authenticate', [/returns 401: .*Authorization/]],
    ['an unknown header', withHeader('x-sim-scenaro', 'slow'), 'scenario', [/400: .*mean "x-sim-scenario"\?/]],
    ['a scenario', withScenario('hang'), 'scenario', [/own header takes precedence \(X-Sim-Scenario: hang\)\. Magic/]],
    ['a preference', withHeader('prefer', 'code=404'), 'scenario', [/precedence \(Prefer: code=404\)\. Magic/]],
    ['a magic key', withToken('key_rate_limited'), 'scenario', [/key \(keys\.yaml\) is a magic value/]],
    ['a magic model', magicModel, 'scenario', [/\(models\.yaml\) is a magic value/]],
    ['a plan', withToken('key_free'), 'plan', [/returns 403: Your plan "free" does not include/]],
    ['two violations', invalidEvent, 'validate', [/400: body\/eventType/, /400: body\/value/]],
    ['no refusal', eventRequest, 'handle', [/^No stage refuses the request, .*createEvent runs/]],
    [
      'a drift scenario that cannot be applied',
      withScenario(inapplicableDrift),
      'handle',
      [/takes precedence/, /^The stage "handle" returns 400: .*cannot/],
    ],
  ])('names the responding stage and gives reasons: %s', async (_name, request, stage, reasons) => {
    const why = reasons.map((reason) => expect.stringMatching(reason))
    expect(await explain(shared(), request)).toMatchObject({ stage, why })
  })

  test('is stored with each request and does not change when the rules change later', async ({ own }) => {
    await putRules(own, [{ scenario: 'forbidden', times: 1 }])
    for (let count = 0; count < 2; count += 1) await send(own, analytics)
    await putRules(own, [])
    const applied = 'Sandbox rule 1 applies: {"scenario":"forbidden","times":1}.'
    expect(await callControl(own, 'GET', '/requests/req-1')).toMatchObject({ why: [applied] })
    const usedUp = 'Sandbox rule 1 is used up (times 1).'
    const { why } = await callControl(own, 'GET', '/requests/req-2')
    expect(why).toEqual([usedUp, 'No stage refuses the request, so the operation getModelAnalytics runs.'])
  })

  test('says that the model does not exist, or that the rate limit is exceeded', async () => {
    const sim = await startForTest({ models: 'closed', maxAnalysesPerHour: 1 })
    const because = (reason: RegExp) => ({ why: [expect.stringMatching(reason)] })
    const unknown = because(/^The stage "subject" returns 404: Model .* not found/)
    expect(await explain(sim, analytics)).toMatchObject(unknown)
    const known = { ...analytics, path: '/v1/models/00000000-0000-4000-8000-000000000002/analytics' }
    expect(await explain(sim, known)).toMatchObject({ response: { status: 200 } })
    await send(sim, known)
    const usedUp = because(/^The stage "rate" returns 429: Rate limit exceeded: 1 per hour/)
    expect(await explain(sim, known)).toMatchObject(usedUp)
  })

  test('applies to the sandbox named in the query', async ({ own }) => {
    await putRules(own, [{ scenario: 'forbidden' }], 'a')
    expect(await explain(own, analytics, '?sandbox=a')).toMatchObject({ sandbox: 'a', response: { status: 403 } })
    expect(await explain(own, analytics)).toMatchObject({ sandbox: 'default', response: { status: 200 } })
    expect(await explain(own, withToken('k~a'), '?sandbox=a')).toMatchObject({ sandbox: 'a' })
  })

  test('lists violations and advice', async () => {
    const bad = { ...eventRequest, body: { eventType: 'x', productId: modelId, value: 1 } }
    const violations = [{ in: 'body', pointer: '/value' }]
    expect(await explain(shared(), bad)).toMatchObject({ operation: 'createEvent', sandbox: 'default', violations })
    const broken = { ...eventRequest, headers: { ...key, 'Content-Type': 'application/json' }, body: '{"a":' }
    expect(await callControl(shared(), 'POST', '/explain', broken)).toMatchObject({ violations: [{ keyword: 'json' }] })
    const doubtful = { ...eventRequest, body: event({ value: 'many', valueType: 'numeric' }) }
    expect(await explain(shared(), doubtful)).toMatchObject({ violations: [], advice: [{ pointer: '/value' }, {}] })
  })

  test('names the rule that applies and says why each earlier rule does not', async () => {
    const sim = await startForTest({ scenario: 'slow;ms=5' })
    await putRules(sim, [
      { operation: 'createPrompt', scenario: 'bad-request' },
      { match: { header: { 'X-Team': 'a' } }, scenario: 'server-error' },
      { match: { body: { '/eventType': 'purchase' } }, scenario: 'server-error' },
      { scenario: 'healthy' },
      { scenario: 'server-error', times: 0 },
      { scenario: 'server-error', enabled: false },
      { scenario: 'server-error', probability: 0 },
      { scenario: 'unavailable', match: { body: { '/eventType': 'upgrade_purchased' } } },
    ])
    const { rule, why, response } = await explain(sim, eventRequest)
    expect(rule).toEqual({ scope: 'sandbox', index: 7 })
    expect(response).toMatchObject({ origin: 'scenario' })
    expect(why).toEqual([
      'Sandbox rule 1 does not match this request: operation.',
      'Sandbox rule 2 does not match this request: match/header/x-team.',
      'Sandbox rule 3 does not match this request: match/body/eventType.',
      'Sandbox rule 4 does not apply to this request.',
      'Sandbox rule 5 is used up (times 0).',
      'Sandbox rule 6 is disabled.',
      'Sandbox rule 7 was not applied (probability 0).',
      expect.stringMatching(/^Sandbox rule 8 applies: \{.*"unavailable"/),
    ])
    expect(await explain(sim, promptRequest)).toMatchObject({ rule: { scope: 'sandbox', index: 0 } })
    await putRules(sim, [])
    const startupRule = { rule: { scope: 'startup', index: 0 }, delayMs: 5, scenarios: ['slow;ms=5'] }
    expect(await explain(sim, analytics)).toMatchObject(startupRule)
  })

  test('names the position of the request in a sequence from a header or a rule', async ({ own }) => {
    const limited = withHeader('x-sim-sequence', '429*2,200')
    await send(own, limited)
    const fromHeader = 'Request 2 of the sequence "429*2,200" gets item 1 of 2, "429".'
    expect((await explain(own, limited))['why']).toEqual([
      expect.stringContaining('(X-Sim-Sequence: 429*2,200)'),
      fromHeader,
    ])
    await putRules(own, [{ sequence: '503, 200' }])
    await send(own, analytics)
    const fromRule = 'Request 2 of the sequence "503, 200" gets item 2 of 2, "200".'
    expect((await explain(own, analytics))['why']).toContain(fromRule)
  })

  test('names the damage, the delivery and the contract violations of the response', async () => {
    const fault = withScenario('truncated, slow;ms=100')
    expect(await explain(shared(), fault)).toMatchObject({ delivery: 'truncated', delayMs: 100, damage: ['truncated'] })
    expect(await explain(shared(), withScenario('drop-field'))).toMatchObject({
      responseViolations: [{ in: 'response' }],
    })
  })

  test('is refused if the body does not describe a request', async () => {
    for (const body of [{}, { method: 'GET' }, { method: 'GET', path: 'v1' }, { method: 'G T', path: '/' }])
      expectRefusal(await call(shared(), '/__sim/explain', { body }), 400)
  })
})

describe('POST /__sim/explain', () => {
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' }

  test.for<[string, string, Record<string, string>]>([
    ['GET', '/', {}],
    ['GET', '/healthz', {}],
    ['GET', '/favicon.ico', {}],
    ['HEAD', '/_x-steady/health', {}],
    ['GET', '/Metrics/', {}],
    ['POST', '/__sim/reset', {}],
    ['OPTIONS', '/v1/events', preflight],
  ])('refuses a request that would not reach the service: %s %s %j', async ([method, path, headers], { own }) => {
    const response = await call(own, '/__sim/explain', { body: { method, path, headers } })
    expectRefusal(response, 400, /simulated service does not get the request.*begin with \/v1\/\./)
    await fetch(`${own.origin}${path}`, { method, headers, redirect: 'manual' })
    expect(await callControl(own, 'GET', '/requests?sandbox=*')).toMatchObject({ total: 0 })
  })

  test.each([
    ['POST', '/', {}, true],
    ['POST', '/metrics', {}, true],
    ['GET', '/__simx', {}, true],
    ['OPTIONS', '/v1/events', {}, true],
    ['OPTIONS', '/v1/events', preflight, false],
  ])('explains a request that would reach the service: %s %s %j, cors: %s', async (method, path, headers, cors) => {
    const sim = await startForTest({ cors })
    const { response } = await callControl(sim, 'POST', '/explain', { method, path, headers })
    const real = await fetch(`${sim.origin}${path}`, { method, headers })
    expect(response).toMatchObject({ status: real.status })
    expect(await callControl(sim, 'GET', '/requests?sandbox=*')).toMatchObject({ total: 1 })
  })
})
