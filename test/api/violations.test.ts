import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { call, errorOf, event, prompt, readStateInfo } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'

const sim = sharedSimulator()

interface ReportedViolations {
  readonly total: number
  readonly more?: true
  readonly violations: readonly { in: string; pointer: string; keyword: string; message: string }[]
}

function violationsIn(headers: Headers): ReportedViolations {
  const text = headers.get('x-sim-violations')
  if (text === null) throw new Error('the response has no X-Sim-Violations header')
  expect(text).toMatch(/^[\x20-\x7e]*$/)
  return JSON.parse(text)
}

/** Event fields, each with an invalid value (or undefined to omit the field) and a pattern for the message. */
const wrongFields: readonly [field: string, value: Json | undefined, pattern: RegExp][] = [
  ['eventType', undefined, /required/],
  ['value', 149, /a string/],
  ['productId', 'abc', /UUID.*"abc"/],
  ['conversationId', 'abc', /UUID/],
  ['influence', 'good', /"positive", "negative", "neutral".*"good"/],
  ['valueType', 'money', /"currency".*"money"/],
  ['qualityImpactScore', '0.5', /a number/],
  ['sampleRate', -0.1, /from 0 to 1.*-0\.1/],
  ['forceSample', 'yes', /boolean/],
  ['eventAt', 'yesterday', /ISO 8601/],
  ['properties', [], /object/],
]

/** Invalid bodies, with a pattern for the message at each pointer. */
const wrongBodies: [string, JsonObject, Readonly<Record<string, RegExp>>][] = [
  [
    '/v1/events',
    Object.fromEntries(wrongFields.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]))),
    Object.fromEntries(wrongFields.map(([field, , pattern]) => [`/${field}`, pattern])),
  ],
  [
    '/v1/prompts',
    { components: [{ content: 'x', source: 'nobody' }], tags: ['a', 1] },
    { '/name': /required/, '/components/0/source': /"customer"/, '/tags/1': /string/ },
  ],
  ['/v1/prompts', { name: 'x', components: { content: 'x' } }, { '/components': /array/ }],
]

test.each(wrongBodies)('all violations in a body for %s are reported together', async (path, body, expected) => {
  const before = await readStateInfo(sim())
  const response = await call(sim(), path, { body })
  expect(response.status).toBe(400)
  const { total, violations } = violationsIn(response.headers)
  const byPointer = Object.fromEntries(violations.map(({ pointer, message }) => [pointer, message]))
  const count = Object.keys(expected).length
  expect([total, Object.keys(byPointer).sort()]).toEqual([count, Object.keys(expected).sort()])
  for (const [pointer, pattern] of Object.entries(expected)) expect(byPointer[pointer]).toMatch(pattern)
  for (const pointer of Object.keys(expected)) expect(errorOf(response)).toContain(`body${pointer}: `)
  if (count > 1) expect(errorOf(response)).toContain(`${count} problems`)
  expect(await readStateInfo(sim())).toEqual(before)
})

test('violations in the path and the query are reported together', async () => {
  const response = await call(sim(), '/v1/models/gpt/analytics?period=1y')
  expect(errorOf(response)).toMatch(/path\/modelId: .*query\/period: /)
  expect(violationsIn(response.headers).violations.map((one) => one.in)).toEqual(['path', 'query'])
})

describe('X-Sim-Violations is complete JSON', () => {
  test('even with 500 violations: it counts the first 100 and lists as many as fit', async () => {
    const components = Array.from({ length: 500 }, () => ({ type: 'no content' }))
    const response = await call(sim(), '/v1/prompts', { body: prompt({ components }) })
    expect(response.status).toBe(400)
    const { total, more, violations } = violationsIn(response.headers)
    expect({ total, more }).toEqual({ total: 100, more: true })
    expect(errorOf(response)).toMatch(/at least 100 problems.*the check stops after 100 errors/)
    expect(violations.length).toBeGreaterThan(10)
    expect(violations.length).toBeLessThan(100)
    const first = { in: 'body', pointer: '/components/0/content', keyword: 'required', message: 'is required' }
    expect(violations[0]).toEqual(first)
  })

  test.each([
    ['non-ASCII letters', 'größe-日本語'],
    ['an emoji', '😀'.repeat(30)],
    ['control characters', 'a\r\nX-Evil: 1\u0000'],
    ['quotes and backslashes', '"\\"\\'],
  ])('with %s in a message', async (_name, text) => {
    const response = await call(sim(), '/v1/events', { body: event({ influence: text }) })
    expect(response.status).toBe(400)
    expect(response.headers.get('x-evil')).toBeNull()
    const message = expect.stringContaining(JSON.stringify(text).slice(1, 5))
    expect(violationsIn(response.headers)).toMatchObject({ total: 1, violations: [{ pointer: '/influence', message }] })
  })

  test('with a pointer longer than the header allows', async () => {
    const key = 'é'.repeat(3000)
    const response = await call(sim(), '/v1/events', { body: `{"${key}":1,"${key}":2}` })
    expect(response.status).toBe(400)
    expect(violationsIn(response.headers).total).toBe(1)
  })
})
