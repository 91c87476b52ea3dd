import { expect, test } from 'vitest'
import { analyticsPath, call, event, expectRefusal } from '../../support/client.ts'
import { callControl, putRules } from '../../support/control.ts'
import { sharedSimulator } from '../../support/shared.ts'

const sim = sharedSimulator()

const callWith = (scenario: string, path = analyticsPath) => call(sim(), path, { scenario, token: null })

test.each([
  ['bad-gateway', 502, 'text/html; charset=utf-8', /<h1>502 Bad Gateway/],
  ['gateway-timeout', 504, 'text/plain; charset=utf-8', /^upstream request timeout$/],
  ['too-large', 413, 'text/html; charset=utf-8', /<h1>413 Request Entity Too Large/],
  ['maintenance', 503, 'text/html; charset=utf-8', /<h1>503 Service Unavailable/],
  ['redirect;code=308', 308, null, /^$/],
  ['status;code=418;type=text/html;body="<p>a, teapot; b</p>"', 418, 'text/html; charset=utf-8', /^<p>a, teapot; b/],
  ['status;code=403;type=application/json;body="{\\"ray\\":\\"1\\"}"', 403, 'application/json', /^\{"ray":"1"\}$/],
  ['status;code=204', 204, null, /^$/],
  ['status;code=418;type=text/html', 418, 'text/html; charset=utf-8', /^$/],
])('%s takes precedence over a 401, a 404 and a 405', async (scenario, status, type, body) => {
  for (const path of [analyticsPath, '/v1/unknown', '/_s/gateways/v1/events']) {
    const response = await callWith(scenario, path)
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type])
    expect(response.headers.has('content-length')).toBe(status !== 204)
    expect(response.headers.get('x-sim-origin')).toBe('gateway')
    expect(response.text).toMatch(body)
  }
})

test('maintenance sends Retry-After as a date, computed with the sandbox’s clock', async () => {
  const { headers } = await callWith('maintenance;retry-after=30')
  const [retryAt = Number.NaN, date = Number.NaN] = ['retry-after', 'date'].map((name) =>
    Date.parse(headers.get(name) ?? ''),
  )
  expect([30_000, 31_000]).toContain(retryAt - date)
})

test('redirect points to the requested URL unless a location is set, and the journal redacts the API key', async () => {
  const path = `${analyticsPath}?period=7d&api_key=secret-1234`
  const { headers } = await callWith('redirect', path)
  expect(headers.get('location')).toBe(path)
  expect((await callWith('redirect;location=/login', path)).headers.get('location')).toBe('/login')
  const { requests } = await callControl(sim(), 'GET', '/requests?origin=gateway&limit=2')
  const text = JSON.stringify(requests)
  expect(text).toContain('"stage":"gateway"')
  expect(text).not.toContain('secret-1234')
})

test('until used up, a gateway rule applies even to requests without a key or for an unknown path', async () => {
  const sandbox = 'gateway-rule'
  await putRules(sim(), [{ scenario: 'bad-gateway', times: 2 }], sandbox)
  const statuses: number[] = []
  for (const [path, token] of [
    [analyticsPath, null],
    ['/v1/unknown', 'k'],
    [analyticsPath, null],
    [analyticsPath, 'k'],
  ] as const)
    statuses.push((await call(sim(), path, { sandbox, token })).status)
  expect(statuses).toEqual([502, 502, 401, 200])
})

test('a sequence with a gateway response also counts requests without a key', async () => {
  const headers = { 'x-sim-sequence': 'bad-gateway*2, 200', 'x-sim-sandbox': 'gateway-sequence' }
  const statuses: number[] = []
  for (const token of [null, 'k', null, 'k'])
    statuses.push((await call(sim(), analyticsPath, { headers, token })).status)
  expect(statuses).toEqual([502, 502, 401, 200])
})

test('a gateway rule for createEvent does not affect other operations, which still check the key first', async () => {
  const sandbox = 'gateway-other'
  const rules = [{ operation: 'createEvent', scenario: 'bad-gateway' }, { scenario: 'server-error' }]
  await putRules(sim(), rules, sandbox)
  expect((await call(sim(), analyticsPath, { sandbox, token: null })).status).toBe(401)
  expect((await call(sim(), '/v1/events', { sandbox, token: null, body: event() })).status).toBe(502)
})

test.each([
  ['bad-gateway, critical', /cannot both act/],
  ['bad-gateway, drop-field', /cannot both act/],
  ['bad-gateway, unavailable', /cannot both act/],
  ['status;code=204;body=x', /a 204 response cannot have a body/],
  ['status;code=418;type=html', /"type" must have the form type\/subtype/],
  ['redirect;location="a b"', /"location" must be a URL in visible ASCII characters/],
])('%s is refused and the reason is given, even without a key or on an unknown path', async (scenario, reason) => {
  for (const path of [analyticsPath, '/v1/unknown']) expectRefusal(await callWith(scenario, path), 400, reason)
})

test('the HAR file contains the media type of a gateway page', async () => {
  await call(sim(), analyticsPath, { sandbox: 'gateway-har', scenario: 'bad-gateway' })
  const { text } = await call(sim(), '/__sim/requests?sandbox=gateway-har&format=har')
  expect(text).toContain('"mimeType":"text/html; charset=utf-8"')
})

test('a gateway response is not reported as unexpected', async () => {
  const sandbox = 'gateway-report'
  await call(sim(), analyticsPath, { sandbox, scenario: 'bad-gateway' })
  await call(sim(), '/v1/unknown', { sandbox, scenario: 'too-large' })
  const report = await callControl(sim(), 'GET', `/report?sandbox=${sandbox}&format=json`)
  expect(report).toMatchObject({ requests: 2, unexpected: { responses: 0 } })
})

test('a gateway response can be slow, and Prefer selects only documented statuses', async () => {
  const { status, headers } = await call(sim(), analyticsPath, { scenario: 'slow;ms=5, bad-gateway' })
  expect([status, headers.get('x-sim-scenario')]).toEqual([502, 'slow;ms=5, bad-gateway'])
  expectRefusal(
    await call(sim(), analyticsPath, { headers: { prefer: 'code=502' } }),
    400,
    /in the responses of getModelAnalytics: 200/,
  )
})
