import { describe, expect, onTestFinished, test } from 'vitest'
import { analyticsPath, call, errorOf } from '../../support/client.ts'
import { callControl } from '../../support/control.ts'
import { proxyTo, startUpstream } from '../../support/fake-upstream.ts'
import { callRaw } from '../../support/raw-http.ts'
import type { TestSimulator } from '../../support/start.ts'
import { listRequests } from '../../support/stored-records.ts'

const token = 'upstream-secret-1'
const allowedOrigin = 'http://localhost:6006'

/** Starts a service that records the requests it receives. Its CORS headers allow only one origin. */
async function startService() {
  const requests: string[] = []
  const origin = await startUpstream((req, res) => {
    requests.push(`${req.method} ${req.url} ${req.headers.authorization}`)
    res.setHeader('access-control-allow-origin', 'https://app.example.com')
    res.setHeader('access-control-expose-headers', 'x-team')
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}')
  })
  return { origin, requests }
}

/** Sends a request with any headers, even headers that `fetch` does not allow. */
function callWith(sim: TestSimulator, headers: Record<string, string>, method = 'GET') {
  const lines = Object.entries({ host: new URL(sim.origin).host, connection: 'close', ...headers })
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return callRaw(sim.origin, `${method} ${analyticsPath} HTTP/1.1\r\n${text}\r\n`)
}

const corsHeaders = (names: Iterable<string>) => [...names].filter((name) => name.startsWith('access-control-'))

/** Requests from cross-origin pages, as browsers send them. */
const crossOrigin: readonly (readonly [string, string, Record<string, string>])[] = [
  ['a script', 'GET', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a script in an older browser', 'GET', { origin: 'https://evil.example' }],
  ['a DELETE request', 'DELETE', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a beacon or a form', 'POST', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
  ['a sandboxed frame', 'GET', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['an image', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['an image, from another port', 'GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ['a script, from another port', 'PUT', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a link', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ['a link, from another port', 'GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }],
  ['a preflight', 'OPTIONS', { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }],
  [
    'a WebSocket handshake',
    'GET',
    { origin: 'https://evil.example', upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-key': 'x' },
  ],
]

/** Starts a proxy that adds a token to the requests that it forwards to the service. */
async function startProxy(settings: Parameters<typeof proxyTo>[2] = {}) {
  const service = await startService()
  const sim = await proxyTo(service.origin, { token }, settings)
  onTestFinished(() => expect(JSON.stringify(sim.logged)).not.toContain(token))
  return { sim, requests: service.requests }
}

describe('a proxy with a token for the real service', () => {
  test.each(crossOrigin)('refuses a request from a cross-origin page: %s', async (_name, method, headers) => {
    const { sim, requests } = await startProxy()
    const response = await callWith(sim, headers, method)
    expect([response.status, requests]).toEqual([403, []])
    expect(corsHeaders(Object.keys(response.headers))).toEqual([])
    expect(response.body).toEqual({
      success: false,
      error:
        'The proxy, which forwards requests with CONVSIM_UPSTREAM_TOKEN, rejects requests from pages on ' +
        'other origins. If the page is yours, list its origin with --control-origins.',
    })
  })

  const hosts = ['evil.example', 'evil.example:4010', 'localhost.evil.example', '127.0.0.1.nip.example', '']
  test.each(hosts)('refuses a same-origin request for the host %j, as sent after DNS rebinding', async (host) => {
    const { sim, requests } = await startProxy()
    const page = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    const response = await callWith(sim, page, 'DELETE')
    expect([response.status, requests]).toEqual([403, []])
    expect(errorOf(response)).toMatch(/^The proxy, .* does not accept requests for the host ".*--control-hosts\.$/)
  })

  test.each<[string, Record<string, string>]>([
    ['a client that is not a browser', {}],
    ['a client that addresses the proxy by its name in Docker Compose', { host: 'convsim:4010' }],
    ['a same-origin page, such as the console', { 'sec-fetch-site': 'same-origin' }],
    ['the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ])('forwards requests from %s', async (_name, headers) => {
    const { sim, requests } = await startProxy()
    expect((await callWith(sim, headers)).status).toBe(200)
    expect(requests).toEqual([`GET ${analyticsPath} Bearer ${token}`])
  })

  test('forwards requests from its own origin, and requests to a host in --control-hosts', async () => {
    const { sim, requests } = await startProxy({ controlHosts: 'sim.example.com' })
    expect((await callWith(sim, { origin: sim.origin, 'sec-fetch-site': 'same-origin' }, 'PUT')).status).toBe(200)
    expect((await callWith(sim, { host: 'sim.example.com:4010' })).status).toBe(200)
    expect(requests).toHaveLength(2)
  })

  test('records a refusal with the origin "simulator", but not as a violation or an unexpected response', async () => {
    const { sim } = await startProxy()
    await call(sim, analyticsPath, { method: 'HEAD', headers: { origin: 'https://evil.example' } })
    expect(await listRequests(sim)).toMatchObject([
      { stage: 'authenticate', response: { status: 403, origin: 'simulator' }, violations: [] },
    ])
    expect(await callControl(sim, 'GET', '/report')).toMatchObject({
      violations: { requests: 0 },
      unexpected: { responses: 0, findings: [] },
    })
  })

  test.each<[string, string, Record<string, string>, string?]>([
    ['path', `/_s/evil1${analyticsPath}`, {}],
    ['header', analyticsPath, { 'x-sim-sandbox': 'evil1' }],
    ['key', analyticsPath, {}, 'key-12345~evil1'],
    ['baggage', analyticsPath, { baggage: 'convsim.sandbox=evil1' }],
  ])(
    'does not create a sandbox that a cross-origin page names in the %s',
    async (_place, path, headers, key = 'key-12345') => {
      const { sim, requests } = await startProxy()
      const page = { origin: 'https://evil.example', ...headers }
      const response = await call(sim, path, { headers: page, token: key })
      expect([response.status, requests]).toEqual([403, []])
      expect(JSON.stringify(await callControl(sim, 'GET', '/sandboxes'))).not.toContain('evil1')
      expect(await callControl(sim, 'GET', '/requests')).toMatchObject({ requests: [{ sandbox: 'default' }] })
      expect((await call(sim, path, { headers, token: key })).status).toBe(200)
      expect(JSON.stringify(await callControl(sim, 'GET', '/sandboxes'))).toContain('evil1') // created by a client
    },
  )

  test('explains why it would refuse a request from a page, and that it would forward one from a client', async () => {
    const { sim, requests } = await startProxy()
    const explain = async (headers: Record<string, string>) =>
      JSON.stringify(await callControl(sim, 'POST', '/explain', { method: 'GET', path: analyticsPath, headers }))
    expect(await explain({ origin: 'https://evil.example' })).toContain('rejects requests from pages on other origins')
    expect(await explain({})).toContain('is forwarded to the real service')
    expect(requests).toEqual([])
  })
})

describe('with --control-origins,', () => {
  const page = { origin: allowedOrigin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }

  test('a request from a listed origin is forwarded, and the response has only the proxy’s CORS headers', async () => {
    const { sim, requests } = await startProxy({ controlOrigins: allowedOrigin })
    const preflight = await callWith(sim, { ...page, 'access-control-request-method': 'PUT' }, 'OPTIONS')
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, allowedOrigin])
    const response = await call(sim, analyticsPath, { headers: page })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, allowedOrigin])
    expect(response.headers.get('access-control-expose-headers')).toBe('*')
    expect(requests).toEqual([`GET ${analyticsPath} Bearer ${token}`])
  })

  test('a page whose origin differs from a listed origin only in the port is refused', async () => {
    const { sim, requests } = await startProxy({ controlOrigins: allowedOrigin })
    const response = await call(sim, analyticsPath, { headers: { ...page, origin: 'http://localhost:6007' } })
    expect([response.status, corsHeaders(response.headers.keys()), requests]).toEqual([403, [], []])
  })

  test('a page with a listed origin gets only the service’s CORS headers if --no-cors is set', async () => {
    const { sim } = await startProxy({ controlOrigins: allowedOrigin, cors: false })
    const response = await call(sim, analyticsPath, { headers: page })
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  })
})

test('a proxy without a token forwards requests and preflights from pages, leaving CORS to the service', async () => {
  const service = await startService()
  const sim = await proxyTo(service.origin)
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const response = await call(sim, analyticsPath, { headers, token: 'page-key-1' })
  expect(response.status).toBe(200)
  expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  const preflightHeaders = { ...headers, 'access-control-request-method': 'PUT' }
  const preflight = await call(sim, analyticsPath, { method: 'OPTIONS', headers: preflightHeaders, token: null })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.com')
  expect(service.requests).toEqual([`GET ${analyticsPath} Bearer page-key-1`, `OPTIONS ${analyticsPath} undefined`])
})
