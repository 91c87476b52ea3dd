import { describe, expect, test } from 'vitest'
import { findDifferences, matchOutcome, type RequestMatch, requestConditions } from '../../src/exchange/match.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { Journal } from '../../src/journal/journal.ts'
import { type RequestSubjects, stripSandboxPath, toMatchSubject } from '../../src/journal/match.ts'
import { entryFor } from './entries.ts'

const model = '4f7c2a1e-9b3d-4c58-8e21-6d0a5b7f9c34'
const subjects: RequestSubjects = { models: () => [model], products: () => ['p1', 'p2'] }
const body = {
  eventType: 'purchase',
  tags: ['a', 'b'],
  properties: { plan: { name: 'pro', seats: 3 }, 'a/b': 1, nothing: null },
}
const bodyOf = (text: string) => {
  const bytes = new TextEncoder().encode(text)
  return { bytes, size: bytes.length }
}

const entry = entryFor(new Journal(1), {
  request: {
    path: '/_s/worker-3/v1/events',
    query: 'period=7d&tag=a&tag=b',
    headers: { 'x-team': 'blue' },
    body: bodyOf(JSON.stringify(body)),
  },
})

const found = (match: RequestMatch, operation?: string, of: JournalEntry = entry) => [
  ...findDifferences(requestConditions({ match, operation }), toMatchSubject(of, subjects)),
]

describe('a request matches', () => {
  const matching: [string, RequestMatch][] = [
    ['without any condition', {}],
    ['by its method in any case', { method: 'post' }],
    ['by its path', { path: '/_s/worker-3/v1/events' }],
    ['by its path without the sandbox', { path: '/v1/events' }],
    ['by its status', { status: 201 }],
    ['by its status as text', { status: '201' }],
    ['by a class of statuses', { status: '2XX' }],
    ['by its origin', { origin: 'contract' }],
    ['by the absence of violations', { violations: false, advice: false }],
    ['by its model in any case', { model: model.toUpperCase() }],
    ['by one of its products', { product: 'P2' }],
    ['by its query', { query: { period: '7d', tag: 'b', more: null } }],
    ['by a header in any case', { header: { 'X-Team': 'blue', 'x-other': null } }],
    ['by pointers into its body', { body: { '/properties/plan/name': 'pro', '/tags/1': 'b', '/properties/a~1b': 1 } }],
    ['by a pointer to a null', { body: { '/properties/nothing': null } }],
    [
      'by a pointer to an object, in any order of its members',
      { body: { '/properties/plan': { seats: 3, name: 'pro' } } },
    ],
    ['by a part of its body', { body: { properties: { plan: { name: 'pro' } } } }],
    ['by an array of its body', { body: { tags: ['a', 'b'] } }],
  ]
  test.each(matching)('%s', (_name, match) => {
    expect(found(match)).toEqual([])
  })
})

describe('a request that does not match differs in a field', () => {
  const others: [RequestMatch, string, unknown][] = [
    [{ method: 'GET' }, 'method', 'POST'],
    [{ path: '/v1/prompts' }, 'path', '/v1/events'],
    [{ status: 400 }, 'status', 201],
    [{ status: '4xx' }, 'status', 201],
    [{ origin: 'scenario' }, 'origin', 'contract'],
    [{ violations: true }, 'violations', false],
    [{ advice: true }, 'advice', false],
    [{ model: 'other' }, 'model', model],
    [{ product: 'other' }, 'product', 'p1'],
    [{ query: { period: '30d' } }, 'query/period', '7d'],
    [{ query: { more: '1' } }, 'query/more', undefined],
    [{ query: { period: null } }, 'query/period', '7d'],
    [{ header: { 'X-Team': 'red' } }, 'header/x-team', 'blue'],
    [{ header: { 'x-team': null } }, 'header/x-team', 'blue'],
    [{ body: { '/eventType': 'signup' } }, 'body/eventType', 'purchase'],
    [{ body: { '/tags/2': 'c' } }, 'body/tags/2', undefined],
    [{ body: { '/toString': 'x' } }, 'body/toString', undefined],
    [{ body: { eventType: 'signup' } }, 'body/eventType', 'purchase'],
    [{ body: { properties: { plan: { seats: 4 } } } }, 'body/properties/plan/seats', 3],
    [{ body: { tags: ['a'] } }, 'body/tags', ['a', 'b']],
  ]
  test.each(others)('%j', (match, field, actual) => {
    expect(found(match).map((difference) => [difference.field, difference.actual])).toEqual([[field, actual]])
  })

  test('or in several fields, each of them named', () => {
    const match = { status: 400, header: { 'x-team': 'red' }, body: { eventType: 'signup' } }
    expect(found(match, 'createPrompt').map(({ field }) => field)).toEqual([
      'operation',
      'status',
      'header/x-team',
      'body/eventType',
    ])
    const conditions = requestConditions({ operation: 'createPrompt' })
    expect(matchOutcome(conditions, toMatchSubject(entry, subjects))).toBe('no')
  })

  test.each([
    ['is no JSON', bodyOf('not json'), undefined],
    ['is absent', { bytes: undefined, size: 0 }, undefined],
  ])('if the body %s', (_name, recorded, actual) => {
    const own = { ...entry, request: { ...entry.request, body: recorded } }
    const [first] = found({ body: { a: 1 } }, undefined, own)
    expect(first).toEqual({ field: 'body', expected: { a: 1 }, actual })
  })
})

describe('a body that is not completely stored', () => {
  const cut = { ...entry, request: { ...entry.request, body: { bytes: bodyOf('{"a":').bytes, size: 9 } } }
  const evicted = { ...entry, request: { ...entry.request, body: { bytes: undefined, size: 9 } } }
  const oneProduct: RequestSubjects = { models: () => [], products: () => ['p1'] }

  test.each<[string, RequestMatch, string]>([
    ['leaves a condition on the body open', { body: { a: 1 } }, 'open'],
    ['leaves a condition on the product open', { product: 'p2' }, 'open'],
    ['does not matter if the path already names the product', { product: 'p1' }, 'yes'],
    ['does not matter if another condition fails', { body: { a: 1 }, status: 400 }, 'no'],
    ['does not matter if no condition needs it', { status: 201 }, 'yes'],
  ])('%s', (_name, match, outcome) => {
    for (const incomplete of [cut, evicted]) {
      const subject = toMatchSubject(incomplete, oneProduct)
      expect(matchOutcome(requestConditions({ match }), subject)).toBe(outcome)
    }
  })
})

test.each([
  ['/_s/worker-3/v1/events', '/v1/events'],
  ['/v1/events', '/v1/events'],
  ['/_s/worker-3', '/_s/worker-3'],
])('%s becomes %s without the base path of its sandbox', (path, stripped) => {
  expect(stripSandboxPath(path)).toBe(stripped)
})
