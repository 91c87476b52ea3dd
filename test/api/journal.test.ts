import { beforeAll, describe, expect } from 'vitest'
import type { JsonObject } from '../../src/base/core/json.ts'
import { valueAt } from '../../src/base/core/json-pointer.ts'
import type { ControlSchemas } from '../../src/client/transport.ts'
import { analyticsPath, call, event, expectRefusal, objectOf } from '../support/client.ts'
import { callControl, putRules } from '../support/control.ts'
import { callRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { frozenNow, startForTest, type TestSimulator, test } from '../support/start.ts'
import { listRequests as list, readControl } from '../support/stored-records.ts'

const shared = sharedSimulator()

const readNumbers = async (sim: TestSimulator, query?: string) => (await list(sim, query)).map(({ number }) => number)

/** Sends six requests. They get a 200, a 429 from a scenario, a 201 with advice, a 400, a 404 (no `/v1`) and a 401. */
async function sendSixRequests(sim: TestSimulator): Promise<void> {
  await call(sim, `${analyticsPath}?period=7d`)
  await call(sim, analyticsPath, { headers: { 'x-sim-scenario': 'rate-limited' } })
  await call(sim, '/v1/events', { body: event({ value: 'many', valueType: 'numeric' }) })
  await call(sim, '/v1/prompts', { body: { name: 'x', components: [] } })
  await call(sim, '/events', { body: event() })
  await call(sim, '/v1/events', { body: event(), token: null })
}

test('a request and its response are recorded with all details', async ({ own }) => {
  const body = event({ value: 'many', valueType: 'numeric' })
  const agent = { 'user-agent': 'client/1' }
  const response = await call(own, '/v1/events?source=app', { body, scenario: 'slow;ms=2', headers: agent })
  const headers = { authorization: 'Bearer [redacted]', ...agent }
  const id = response.headers.get('x-request-id')
  const shown = await callControl(own, 'GET', `/requests/${id}`)
  expect(shown).toMatchObject({
    id,
    number: 1,
    now: frozenNow,
    delayMs: 2,
    stage: 'handle',
    sandbox: 'default',
    operation: 'createEvent',
    request: { method: 'POST', path: '/v1/events', query: 'source=app', headers, body: { json: body } },
    response: { status: 201, headers: { 'X-Request-Id': id }, body: { json: response.body }, origin: 'contract' },
    scenarios: ['slow;ms=2'],
    damage: [],
    violations: [],
    advice: [
      { in: 'query', pointer: '/source', keyword: 'unknown-parameter' },
      { in: 'body', pointer: '/value', keyword: 'valueType' },
      { in: 'body', pointer: '', keyword: 'link' },
    ],
  })
  expect(Math.abs(Date.parse(String(shown['at'])) - Date.now())).toBeLessThan(60_000)
})

test.for<[string, object]>([
  ['drop-field', { damage: [expect.stringMatching(/^drop-field at \//)], responseViolations: [{ in: 'response' }] }],
  ['extra-field', { damage: [expect.stringMatching(/^extra-field at \//)], responseViolations: [] }],
  ['truncated', { damage: ['truncated'], responseViolations: [] }],
])('the damage done by %s is recorded', async ([scenario, expected], { own }) => {
  await call(own, analyticsPath, { scenario }).catch(() => undefined)
  expect(await list(own)).toMatchObject([{ scenarios: [scenario], ...expected }])
  await call(own, analyticsPath)
  expect([await readNumbers(own, 'damage=true'), await readNumbers(own, 'damage=false')]).toEqual([[1], [2]])
})

test('the stage that responded and the rule that applied are recorded', async () => {
  const sim = await startForTest({ scenario: 'slow;ms=1' })
  await putRules(sim, [
    { operation: 'createPrompt', scenario: '404' },
    { operation: 'createEvent', scenario: '503', times: 1 },
  ])
  const sent = event()
  for (const body of [sent, sent, { value: 1 }]) await call(sim, '/v1/events', { body })
  await call(sim, analyticsPath, { token: null })
  await callControl(sim, 'DELETE', '/scenarios')
  const startupRule = { rule: { scope: 'startup', index: 0 } }
  const requests = await list(sim)
  expect(requests).toMatchObject([
    { stage: 'scenario', rule: { scope: 'sandbox', index: 1 } },
    { stage: 'handle', ...startupRule },
    { stage: 'validate', ...startupRule },
    { stage: 'authenticate' },
  ])
  expect(requests.at(-1)).not.toHaveProperty('rule')
})

describe('bodies', () => {
  test.each([
    ['JSON', '{"a":1}', { size: 7, json: { a: 1 } }],
    ['text', 'no json', { size: 7, text: 'no json' }],
    ['bytes', new Uint8Array([255, 0, 1]), { size: 3, base64: '/wAB' }],
    ['no body', undefined, { size: 0 }],
    ['text larger than the limit for response bodies', 'x'.repeat(70_000), { size: 70_000, text: 'x'.repeat(70_000) }],
    ['text larger than --body-limit', 'x'.repeat(2_000_000), { size: 2_000_000, gone: true }],
  ])('are shown with their kind and size: %s', async (_name, body, shown) => {
    const options = { method: 'POST', sandbox: 'bodies', ...(body !== undefined && { body }) }
    const { headers } = await call(shared(), '/v1/events', options)
    const entry = await callControl(shared(), 'GET', `/requests/${headers.get('x-request-id')}`)
    expect(valueAt(entry, '/request/body')).toEqual(shown)
  })

  test.for<[string, string, boolean]>([
    ['for a number with a fractional part of zero', '{ "value" : 1.0 }', true],
    ['for a number beyond the precision of JavaScript', '{"value":12345678901234567890}', true],
    ['for a duplicate name', '{"value":1,"value":2}', true],
    ['unless the body is larger than 256 kB', `{"value":1,"value":"${'x'.repeat(256 * 1024)}"}`, false],
    ['unless reserializing would change only whitespace', '{ "value":\n\t[ 1 , "a \\" b" ] }', false],
    ['unless the body contains a credential', '{"password":"abc","value":1.0}', false],
  ])('include the text in addition to the JSON %s', async ([, text, isKept], { own }) => {
    await call(own, '/v1/events', { body: text })
    const body = valueAt(await callControl(own, 'GET', '/requests/req-1'), '/request/body')
    expect(body).toEqual({ size: text.length, json: expect.any(Object), ...(isKept && { text }) })
  })

  test('appear in the list only with ?bodies=true, but their sizes always appear', async ({ own }) => {
    await call(own, '/v1/events', { body: event() })
    expect(await list(own)).toMatchObject([{ request: { body: { size: expect.any(Number) } } }])
    expect(JSON.stringify(await list(own))).not.toContain('upgrade_purchased')
    expect(await list(own, 'bodies=true')).toMatchObject([{ request: { body: { json: event() } } }])
  })
})

describe('the list', () => {
  const six = sharedSimulator()
  beforeAll(() => sendSixRequests(six()))

  test.each([
    ['order=newest', [6, 5, 4, 3, 2, 1], 6],
    ['operation=getModelAnalytics', [1, 2], 2],
    ['status=4xx&limit=1', [2], 4],
    ['status=4xx&limit=1&cursor=4', [5], 4],
    ['status=4xx&since=4', [5, 6], 2],
    ['status=201', [3], 1],
    ['method=get', [1, 2], 2],
    ['origin=scenario', [2], 1],
    ['path=/v1/events', [3, 6], 2],
    ['violations=true', [4], 1],
    ['violations=false&status=4xx', [2, 5, 6], 3],
    ['advice=true', [3, 5], 2],
    ['limit=0', [], 6],
    ['sandbox=other', [], 0],
    ['sandbox=*', [1, 2, 3, 4, 5, 6], 6],
  ])('contains the requests selected by ?%s, and their total across all pages', async (query, expected, total) => {
    expect(await readNumbers(six(), query)).toEqual(expected)
    expect(await callControl(six(), 'GET', `/requests?${query}`)).toMatchObject({ total })
  })

  test.for([
    ['oldest', [1, 2, 3, 4, 5, 6]],
    ['newest', [6, 5, 4, 3, 2, 1]],
  ])('has pages without gaps or repeated requests, %s first', async ([order, expected], { own }) => {
    await sendSixRequests(own)
    const seen: number[] = []
    for (let cursor = ''; cursor !== '&cursor=undefined'; ) {
      const page = `/requests?order=${order}&limit=2${cursor}`
      const { requests, next } = await readControl<ControlSchemas['RequestPage']>(own, page)
      seen.push(...requests.map(({ number }) => number))
      cursor = `&cursor=${next}`
      if (order === 'newest') await call(own, analyticsPath) // must not shift the next page
    }
    expect(seen).toEqual(expected)
  })

  test('refuses invalid values and unknown parameters', async () => {
    for (const query of ['status=5', 'order=up', 'limit=-1', 'limit=1001', 'origin=me', 'sandbox=-', 'statuss=400'])
      expectRefusal(await call(six(), `/__sim/requests?${query}`), 400)
  })
})

test('a full journal reports how many requests it dropped, and marks request counts as truncated', async () => {
  const sim = await startForTest({ journalSize: 3 })
  for (let count = 0; count < 3; count += 1) await call(sim, analyticsPath)
  expect(await callControl(sim, 'GET', '/requests')).toMatchObject({ recorded: 3, dropped: 0, truncated: false })
  expect(await callControl(sim, 'POST', '/requests/count')).toEqual({ count: 3, truncated: false })
  await call(sim, '/v1/events', { body: event() })
  expect(await callControl(sim, 'GET', '/requests')).toMatchObject({
    recorded: 4,
    dropped: 1,
    truncated: true,
    total: 3,
  })
  const query = { operation: 'getModelAnalytics' }
  expect(await callControl(sim, 'POST', '/requests/count', query)).toEqual({ count: 2, truncated: true })
  expect(await callControl(sim, 'POST', '/verify', query)).toMatchObject({ count: 2, truncated: true })
  expectRefusal(await call(sim, '/__sim/requests/req-1'), 404, /dropped so far: 1; see --journal-size/)
})

test.for<[string, string, number[]]>([
  ['DELETE', '/requests?sandbox=a', [2]],
  ['POST', '/reset?sandbox=a', [2]],
  ['DELETE', '/sandboxes/a', [2]],
  ['DELETE', '/requests?sandbox=*', []],
])('the journal of a sandbox is cleared by %s %s', async ([method, path, remaining], { own }) => {
  const callIn = (name: string) => call(own, analyticsPath, { headers: { 'x-sim-sandbox': name } })
  for (const name of ['a', 'b', 'a']) await callIn(name)
  expect(await readNumbers(own, 'sandbox=a')).toEqual([1, 3])
  await callControl(own, method, path)
  expect(await readNumbers(own, 'sandbox=*')).toEqual(remaining)
  await callIn('a')
  expect(await callControl(own, 'GET', '/requests?sandbox=a')).toMatchObject({ recorded: 1, truncated: false })
})

test('malformed HTTP is logged, but not recorded in the journal', async ({ own }) => {
  expect((await callRaw(own.origin, 'GET /v1/events HTTP/9.9\r\n\r\n')).status).toBe(400)
  expect(await list(own)).toEqual([])
  expect(own.logged.filter(({ message }) => message === 'malformed HTTP')).toHaveLength(1)
})

test('bodies appear in the log only with --log-bodies, truncated and without credentials', async () => {
  const callAndReadLog = async (logBodies: boolean) => {
    const sim = await startForTest({ logBodies })
    const properties = { apiKey: 's3cr3t', pin: { password: 's3cr3t' }, note: 'x'.repeat(3000) }
    const { text } = await call(sim, '/v1/events', { body: event({ properties }), token: 's3cr3t' })
    return { text, fields: sim.logged.find(({ message }) => message === 'responded')?.fields ?? {} }
  }
  expect(Object.keys((await callAndReadLog(false)).fields).filter((name) => /body/i.test(name))).toEqual([])
  const { text, fields } = await callAndReadLog(true)
  expect(fields).toMatchObject({
    requestId: 'req-1',
    requestBody: expect.stringMatching(/^\{"eventType":"upgrade_purchased".{1900,2000}$/s),
    responseBody: text,
  })
  expect(JSON.stringify(fields)).not.toContain('s3cr3t')
})

test('each entry in a list with large bodies equals the same entry read by ID, except for "why"', async ({ own }) => {
  const note = 'x'.repeat(100_000)
  for (let index = 0; index < 4; index += 1)
    await call(own, '/v1/events', { body: event({ properties: { note, index } }) })
  const page = objectOf(await call(own, '/__sim/requests?bodies=true&limit=3', { token: null }))
  expect(page).toMatchObject({ total: 4, recorded: 4, dropped: 0, truncated: false, next: 3 })
  const requests = page['requests'] as JsonObject[]
  expect(requests).toHaveLength(3)
  for (const entry of requests) {
    const { why, ...rest } = objectOf(await call(own, `/__sim/requests/${entry['id']}`, { token: null }))
    expect(entry).toEqual(rest)
    expect(why).toEqual([expect.stringContaining('createEvent')])
  }
})
