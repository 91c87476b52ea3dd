import { describe, expect, test } from 'vitest'
import { readBearer } from '../../../src/server/pipeline/exchange.ts'

describe('an Authorization header', () => {
  test.each([
    ['Bearer any-key', 'any-key', undefined],
    ['bearer any-key', 'any-key', undefined],
    ['BEARER any-key', 'any-key', undefined],
    ['  Bearer   any-key  ', 'any-key', undefined],
    ['Bearer\tany-key', 'any-key', undefined],
    ['Bearer a key with spaces', 'a key with spaces', undefined],
    ['Bearer any-key~worker-3', 'any-key', 'worker-3'],
    ['Bearer a~b~worker-3', 'a~b', 'worker-3'],
    ['Bearer any-key~', 'any-key', ''],
  ])('%j contains a token', (header, token, sandbox) => {
    expect(readBearer(header)).toEqual({ ok: true, token, sandbox })
  })

  test.each([
    [undefined, /missing/],
    ['', /missing/],
    ['   ', /missing/],
    ['Bearer', /empty/],
    ['Bearer ', /empty/],
    ['Bearer ~worker-3', /empty/],
    ['Basic dXNlcjpwYXNz', /"Basic", not Bearer/],
    ['Token any-key', /"Token", not Bearer/],
    ['Bearerany-key', /no scheme/],
  ])('%j does not contain a token', (header, words) => {
    expect(readBearer(header)).toEqual({ ok: false, problem: expect.stringMatching(words) })
  })

  test('without a scheme is refused with a message that does not contain the whole key', () => {
    const key = 'sk-live-0123456789abcdef0123456789abcdef'
    expect(JSON.stringify(readBearer(key))).not.toContain(key)
    expect(JSON.stringify(readBearer(`${key} with spaces`))).not.toContain(key)
  })
})
