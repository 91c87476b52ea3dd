import { expect, test } from 'vitest'
import { ask } from '../support/client.ts'
import { askRaw } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'

const workshop = 'http://localhost:6006'
const sim = sharedSimulator({ controlOrigins: workshop })

test.each(['', '&failOn=coverage<100'])('an HTML report%s has the console’s policy, and own styles', async (query) => {
  const console = await ask(sim(), '/__sim/', { headers: { accept: 'text/html' } })
  const report = await ask(sim(), `/__sim/report?format=html${query}`)
  const policyOf = ({ headers }: typeof report) => headers.get('content-security-policy') ?? ''
  expect(policyOf(report)).toContain("frame-ancestors 'none'")
  expect(policyOf(report).replace(/'sha256-[\w+/]{43}='/, "'self'")).toBe(policyOf(console))
  const names = ['referrer-policy', 'cache-control', 'content-type']
  const values = ['no-referrer', 'no-store', 'text/html; charset=utf-8']
  expect(names.map((name) => report.headers.get(name))).toEqual(values)
})

test.each<[string, Parameters<typeof ask>[2]]>([
  ['/__sim/', {}],
  ['/__sim', { headers: { accept: 'text/html' } }],
  ['/__sim/report?format=html', {}],
  ['/__sim/requests?format=har', { method: 'HEAD' }],
  ['/__sim/nothing', {}],
  ['/__SIM/info', {}],
  ['/__sim/info', { headers: { origin: 'https://evil.example' } }],
  ['/__sim/info', { method: 'OPTIONS', headers: { origin: workshop } }],
  ['/__sim/clock', { method: 'PUT', body: '{' }],
  ['/healthz', {}],
])('%s %j forbids browsers to guess its type', async (path, how) => {
  expect((await ask(sim(), path, how)).headers.get('x-content-type-options')).toBe('nosniff')
})

test('a refusal for a missing Host forbids it, too', async () => {
  const { status, headers } = await askRaw(sim().origin, 'GET /__sim/report HTTP/1.1\r\n\r\n')
  expect([status, headers['x-content-type-options']]).toEqual([400, 'nosniff'])
})

test('a response of the service has no headers that the service has not', async () => {
  const { headers } = await ask(sim(), '/v1/events')
  expect(headers.get('x-content-type-options')).toBeNull()
})
