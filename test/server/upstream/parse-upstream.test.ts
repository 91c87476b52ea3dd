import { expect, test } from 'vitest'
import { parseUpstream } from '../../../src/server/upstream/parse-upstream.ts'

test('an address has an origin, a host to type again, and a base path', () => {
  expect(parseUpstream('https://api.example.com:8443/v1/', true)).toEqual({
    ok: true,
    value: { origin: 'https://api.example.com:8443', host: 'api.example.com:8443', basePath: '/v1' },
  })
})

test.each(['http://localhost:4010/v1', 'http://127.0.0.1:4010', 'http://[::1]:4010/v1'])(
  'a token goes to %s without encryption, since that is this machine',
  (address) => expect(parseUpstream(address, true).ok).toBe(true),
)

test.each([
  ['api.example.com', 'is no address of a service'],
  ['ftp://api.example.com', 'begins with https:// or http://'],
  ['https://me:secret@api.example.com/v1', 'no user or password. Set CONVSIM_UPSTREAM_TOKEN'],
  ['https://api.example.com/v1?key=1', 'no query'],
  ['http://api.example.com/v1', 'would carry CONVSIM_UPSTREAM_TOKEN in clear text. Use https://'],
])('%s is refused', (address, reason) => {
  const parsed = parseUpstream(address, true)
  expect(parsed.ok ? '' : parsed.error).toContain(reason)
})

test('a service without encryption is asked where there is no token', () => {
  expect(parseUpstream('http://staging.example.com/v1', false).ok).toBe(true)
})
