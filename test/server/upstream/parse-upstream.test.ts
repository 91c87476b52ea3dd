import { expect, test } from 'vitest'
import { parseUpstream } from '../../../src/server/upstream/parse-upstream.ts'

test('a URL is split into an origin and a base path', () => {
  const value = { origin: 'https://api.example.com:8443', basePath: '/v1' }
  expect(parseUpstream('https://api.example.com:8443/v1/', true)).toEqual({ ok: true, value })
})

test.each([
  ['http://localhost:4010/v1', true],
  ['http://127.0.0.1:4010', true],
  ['http://[::1]:4010/v1', true],
  ['http://staging.example.com/v1', false],
])('%s is accepted without TLS, since no token leaves this machine (token set: %s)', (url, hasToken) => {
  expect(parseUpstream(url, hasToken).ok).toBe(true)
})

test.each([
  ['api.example.com', 'is not the URL of a service'],
  ['ftp://api.example.com', 'must begin with https:// or http://'],
  ['https://me:secret@api.example.com/v1', 'not have a user name or password. Set CONVSIM_UPSTREAM_TOKEN'],
  ['https://api.example.com/v1?key=1', 'not have a query'],
  ['http://api.example.com/v1', 'would send CONVSIM_UPSTREAM_TOKEN in clear text. Use https://'],
])('%s with a token is refused, and the message says why', (url, reason) => {
  const parsed = parseUpstream(url, true)
  expect(parsed.ok ? '' : parsed.error).toContain(reason)
})
