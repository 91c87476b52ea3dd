import { describe, expect, test } from 'vitest'
import { parseOrigins } from '../../src/base/core/origins.ts'
import { call, errorOf } from '../support/client.ts'
import { callRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'
import { startForTest } from '../support/start.ts'

const allowedOrigin = 'http://localhost:6006'
const sim = sharedSimulator({ controlOrigins: `https://docs.example.com, ${allowedOrigin}` })

const corsHeaderNames = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith('access-control'))

describe('a page from an origin in --control-origins', () => {
  const page = { origin: allowedOrigin, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }

  test('passes a preflight check', async () => {
    const headers = {
      ...page,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    }
    const response = await call(sim(), '/__sim/scenarios', { method: 'OPTIONS', headers, token: null })
    expect([response.status, response.text]).toEqual([204, ''])
    expect(response.headers.get('access-control-allow-origin')).toBe(allowedOrigin)
    expect(response.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
  })

  test('can send control requests and read the response headers', async () => {
    const body = { rules: [{ scenario: 'unavailable' }] }
    const path = '/__sim/scenarios?sandbox=workshop'
    expect((await call(sim(), path, { method: 'PUT', headers: page, body })).body).toEqual(body)
    for (const path of ['/__sim/info', '/healthz', '/__sim/nothing']) {
      const { headers } = await call(sim(), path, { headers: page })
      const names = ['allow-origin', 'expose-headers', 'allow-credentials'].map((name) => `access-control-${name}`)
      const corsValues = [...names, 'vary'].map((name) => headers.get(name))
      expect([path, ...corsValues]).toEqual([path, allowedOrigin, '*', null, 'Origin'])
    }
  })

  test('still needs the control token, and can read the refusal of a request without the token', async () => {
    const own = await startForTest({ controlOrigins: allowedOrigin, controlToken: 'let me in' })
    const refused = await call(own, '/__sim/info', { headers: page, token: null })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, allowedOrigin])
    expect((await call(own, '/__sim/info', { headers: page, token: 'let me in' })).status).toBe(200)
  })
})

const unlistedOrigins = ['http://localhost:6007', 'https://localhost:6006', 'http://localhost:6006.example.com', 'null']
test.each(unlistedOrigins)('requests from the unlisted origin %s get a 403 without CORS headers', async (origin) => {
  const headers = { origin, 'access-control-request-method': 'PUT' }
  for (const method of ['GET', 'OPTIONS', 'PUT']) {
    const response = await call(sim(), '/__sim/scenarios', { method, headers, token: null })
    expect([method, response.status, corsHeaderNames(response.headers)]).toEqual([method, 403, []])
    expect(errorOf(response)).toContain('--control-origins')
  }
})

test('--control-origins normalizes origins and rejects values that are not origins', () => {
  expect(parseOrigins('http://LOCALHOST:80/, https://[::1]:8443')).toEqual(['http://localhost', 'https://[::1]:8443'])
  const wrong = ['', '*', 'null', 'localhost:6006', 'http://localhost:6006,', 'http://localhost:6006/path', 'http://']
  for (const text of [...wrong, 'http://localhost?x', 'http://*.example.com', 'http://user@localhost', 'file:///home'])
    expect([text, parseOrigins(text)]).toEqual([text, undefined])
})

test.each(['', '&failOn=coverage<100'])('report?format=html%s has the console CSP except style-src', async (query) => {
  const console = await call(sim(), '/__sim/', { headers: { accept: 'text/html' } })
  const report = await call(sim(), `/__sim/report?format=html${query}`)
  const policyOf = ({ headers }: typeof report) => headers.get('content-security-policy') ?? ''
  expect(policyOf(report)).toContain("frame-ancestors 'none'")
  expect(policyOf(report).replace(/'sha256-[\w+/]{43}='/, "'self'")).toBe(policyOf(console))
  const names = ['referrer-policy', 'cache-control', 'content-type']
  const values = ['no-referrer', 'no-store', 'text/html; charset=utf-8']
  expect(names.map((name) => report.headers.get(name))).toEqual(values)
})

test.each<[string, Parameters<typeof call>[2]]>([
  ['/__sim/', {}],
  ['/__sim', { headers: { accept: 'text/html' } }],
  ['/__sim/report?format=html', {}],
  ['/__sim/requests?format=har', { method: 'HEAD' }],
  ['/__sim/nothing', {}],
  ['/__SIM/info', {}],
  ['/__sim/info', { headers: { origin: 'https://evil.example' } }],
  ['/__sim/info', { method: 'OPTIONS', headers: { origin: allowedOrigin } }],
  ['/__sim/clock', { method: 'PUT', body: '{' }],
  ['/healthz', {}],
])('the response to %s %j prevents browsers from sniffing its media type', async (path, options) => {
  expect((await call(sim(), path, options)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('the refusal of a request without Host has X-Content-Type-Options', async () => {
  const { status, headers } = await callRaw(sim().origin, 'GET /__sim/report HTTP/1.1\r\n\r\n')
  expect([status, headers['x-content-type-options']]).toEqual([400, 'nosniff'])
})

test('responses from the simulated service have no X-Content-Type-Options', async () => {
  const { headers } = await call(sim(), '/v1/events')
  expect(headers.get('x-content-type-options')).toBeNull()
})
