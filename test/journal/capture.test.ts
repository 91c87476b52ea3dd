import { describe, expect, test } from 'vitest'
import { redactedHeaders, redactedQuery, withoutCredentials } from '../../src/journal/capture.ts'

const secret = 's3cr3t-t0k3n'

describe('no credential is kept', () => {
  test.each([
    ['authorization', `Bearer ${secret}`, 'Bearer [redacted]'],
    ['authorization', `bearer   ${secret}~worker-3`, 'bearer [redacted]~worker-3'],
    ['authorization', `Bearer with spaces ${secret}`, 'Bearer [redacted]'],
    ['authorization', `Bearer ~${secret}!`, 'Bearer [redacted]'],
    ['authorization', `Basic ${secret}~worker-3`, 'Basic [redacted]'],
    ['authorization', secret, '[redacted]'],
    ['authorization', `${secret} ${secret}`, '[redacted]'],
    ['authorization', '', '[redacted]'],
    ['proxy-authorization', `Basic ${secret}`, 'Basic [redacted]'],
    ['cookie', `session=${secret}`, '[redacted]'],
    ['x-api-key', secret, '[redacted]'],
    ['apikey', secret, '[redacted]'],
    ['x-auth-token', secret, '[redacted]'],
    ['x-amz-security-token', secret, '[redacted]'],
    ['ocp-apim-subscription-key', secret, '[redacted]'],
    ['x-client-secret', secret, '[redacted]'],
  ])('%s: %s becomes %s', (name, value, kept) => {
    expect(redactedHeaders({ [name]: value })).toEqual({ [name]: kept })
  })

  test.each([
    ['period=7d', 'period=7d'],
    ['', ''],
    [`period=7d&api_key=${secret}`, 'period=7d&api_key=[redacted]'],
    [`access%5Ftoken=${secret}&x=1`, 'access%5Ftoken=[redacted]&x=1'],
    ['token', 'token'],
    [`%zz=1&token=${secret}`, '%zz=1&token=[redacted]'],
  ])('of the query %s', (query, kept) => {
    expect(redactedQuery(query)).toBe(kept)
  })
})

test.each([
  ['{"a":"b","apiKey":"x"}', '{"a":"b","apiKey":"[redacted]"}'],
  ['{"access_token" : "x\\"y", "b":1}', '{"access_token" : "[redacted]", "b":1}'],
  ['{"password":"cut of', '{"password":"[redacted]"'],
  ['{"a":"password","b":"token"}', '{"a":"password","b":"token"}'],
  ['no json at all', 'no json at all'],
])('a text %s is logged as %s', (text, logged) => {
  expect(withoutCredentials(text)).toBe(logged)
})

test('what is no credential is kept as it came', () => {
  const headers = { accept: '*/*', 'x-team': 'a', 'x-author': 'b', 'content-type': 'application/json' }
  expect(redactedHeaders(headers)).toEqual(headers)
})
