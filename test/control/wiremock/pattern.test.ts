import { describe, expect, test } from 'vitest'
import { readPattern } from '../../../src/control/wiremock/pattern.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { Journal } from '../../../src/journal/journal.ts'
import { entryFor } from '../../journal/entries.ts'

const text = '{"eventType":"purchase","tags":["a"],"properties":{"plan":"pro"}}'
const bytes = new TextEncoder().encode(text)
const entry = entryFor(new Journal(1), {
  request: {
    path: '/_s/worker-3/v1/events',
    query: 'period=7d',
    headers: { 'x-team': 'Blue', authorization: 'Bearer [redacted]' },
    body: { bytes, size: bytes.length },
  },
})

function matchPattern(pattern: JsonObject, candidate = entry) {
  const read = readPattern(pattern)
  if (!read.ok) throw new Error(read.error)
  return read.value(candidate)
}

describe('a request pattern of WireMock', () => {
  test.each([
    {},
    { method: 'POST' },
    { method: 'ANY' },
    { url: '/v1/events?period=7d' },
    { urlPath: '/v1/events' },
    { urlPattern: '/v1/.*period=.d' },
    { urlPathPattern: '/v1/[a-z]+' },
    { headers: { 'X-Team': { equalTo: 'Blue' } } },
    { headers: { 'x-team': { equalTo: 'blue', caseInsensitive: true } } },
    { headers: { 'x-team': { contains: 'lu' }, 'x-none': { absent: true } } },
    { headers: { 'x-team': { matches: '[A-Z].*' } } },
    { headers: { 'x-team': { doesNotMatch: 'R.*' } } },
    { headers: { 'x-team': { doesNotContain: 'red' } } },
    { headers: { Cookie: { absent: true } } },
    { queryParameters: { period: { equalTo: '7d' } } },
    { bodyPatterns: [{ contains: 'purchase' }, { matches: '.*tags.*' }] },
    { bodyPatterns: [{ equalTo: text }] },
    { bodyPatterns: [{ equalToJson: '{"eventType":"purchase"}', ignoreExtraElements: true }] },
    { bodyPatterns: [{ equalToJson: { properties: { plan: 'pro' }, tags: ['a'], eventType: 'purchase' } }] },
  ])('%j matches the request', (pattern) => {
    expect(matchPattern(pattern)).toBe('yes')
  })

  test.each([
    { method: 'GET' },
    { url: '/v1/events' },
    { urlPath: '/v1/events?period=7d' },
    { urlPattern: '/v1' },
    { urlPathPattern: 'events' },
    { headers: { 'X-Team': { equalTo: 'blue' } } },
    { headers: { 'x-team': { absent: true } } },
    { headers: { 'x-none': { contains: '' } } },
    { headers: { Authorization: { absent: true } } },
    { queryParameters: { period: { matches: '30.' } } },
    { bodyPatterns: [{ contains: 'purchase' }, { contains: 'signup' }] },
    { bodyPatterns: [{ equalToJson: { eventType: 'purchase' } }] },
    { bodyPatterns: [{ equalToJson: { tags: ['b'] }, ignoreExtraElements: true }] },
    { bodyPatterns: [{ equalToJson: { tags: [] }, ignoreExtraElements: true }] },
    { bodyPatterns: [{ equalToJson: { toString: {} }, ignoreExtraElements: true }] },
  ])('%j does not match the request', (pattern) => {
    expect(matchPattern(pattern)).toBe('no')
  })

  test.each([
    [{ bodyPatterns: [{ contains: 'purchase' }] }, 'open'],
    [{ bodyPatterns: [{ equalToJson: {} }] }, 'open'],
    [{ bodyPatterns: [{ contains: 'purchase' }], method: 'GET' }, 'no'],
    [{ method: 'POST' }, 'yes'],
  ])('%j gives %s for a request whose body is cut', (pattern, outcome) => {
    const cut = { bytes: bytes.subarray(0, 3), size: bytes.length }
    expect(matchPattern(pattern, { ...entry, request: { ...entry.request, body: cut } })).toBe(outcome)
  })

  test.each([
    [{ cookies: {} }, /"cookies" of a request pattern is not understood. Understood: method, url/],
    [{ toString: {} }, /"toString" of a request pattern is not understood/],
    [{ method: 7 }, /takes text; got 7/],
    [{ urlPattern: '(' }, /no regular expression: \(/],
    [{ headers: [] }, /"headers" is an object/],
    [{ headers: { a: 'x' } }, /headers\/a takes a matcher/],
    [{ headers: { a: { before: 'x' } } }, /"before" at headers\/a is not understood. Understood: equalTo/],
    [
      { headers: { Authorization: { equalTo: 'Bearer k' } } },
      /does not keep the value of "Authorization" of headers/,
    ],
    [{ bodyPatterns: {} }, /is a list/],
    [{ bodyPatterns: [{ matchesJsonPath: '$.a' }] }, /"matchesJsonPath" at bodyPatterns is not understood/],
    [{ bodyPatterns: [{ equalToJson: '{' }] }, /is no JSON/],
    [{ bodyPatterns: [{ equalToJson: {}, ignoreArrayOrder: true }] }, /"ignoreArrayOrder" beside/],
  ])('%j is an error that names the problem', (pattern, problem) => {
    const read = readPattern(pattern as JsonObject)
    expect(read.ok ? 'understood' : read.error).toMatch(problem)
  })
})
