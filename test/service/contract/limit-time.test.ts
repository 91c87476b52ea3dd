import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { runWithTimeout } from '../../../src/base/core/limit-time.ts'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

const withName = (pattern: string) =>
  SMALL.replace('name: { type: string }', () => `name: { type: string, pattern: "${pattern}" }`)

test('a value that takes too long to match against a pattern is reported, and later values are checked', async () => {
  const { checkResponse } = operationOf(await contractOf(withName('^(b|a+l*)+$')), 'listThings')
  const check = (name: string) => checkResponse(200, { name })
  const message = expect.stringContaining('Send shorter strings')
  expect(check(`${'a'.repeat(60)}!`)).toMatchObject([{ keyword: 'timeout', pointer: '', message }])
  expect(check('aaa')).toEqual([])
  expect(check('c')).toMatchObject([{ keyword: 'pattern', pointer: '/name' }])
})

test('a parameter value that takes too long to match against a pattern is reported', async () => {
  const parameter = '{ name: q, in: query, schema: { type: string, pattern: "^(a+)+$" } }'
  const withParameter = `operationId: listThings\n      parameters: [${parameter}]`
  const contract = await contractOf(SMALL.replace('operationId: listThings', () => withParameter))
  const { readParameters } = operationOf(contract, 'listThings')
  const read = (q: string) => readParameters({ path: {}, query: { q }, header: {} })
  expect(read(`${'a'.repeat(60)}!`).violations).toMatchObject([{ in: 'query', keyword: 'timeout' }])
  expect(read('aa')).toMatchObject({ values: { query: { q: 'aa' } }, violations: [] })
})

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

type Schemas = Readonly<Record<string, JsonObject>>

/** Formats schemas as lines to append to the small document. */
const linesOf = (schemas: Schemas) =>
  Object.entries(schemas)
    .map(([name, schema]) => `    ${name}: ${JSON.stringify(schema)}\n`)
    .join('')

/** Returns the findings, except warnings, about the small document with additional schemas. */
async function findingsAbout(schemas: Schemas): Promise<string[]> {
  const findings = await findingsOf(SMALL + linesOf(schemas))
  return findings.filter((finding) => !finding.includes('warning'))
}

test.each<[string, Schemas]>([
  ['allOf', { A: { allOf: [ref('A')] } }],
  ['anyOf and oneOf', { A: { anyOf: [ref('B')] }, B: { oneOf: [{ type: 'string' }, ref('A')] } }],
  ['not', { A: { not: ref('A') } }],
  ['else', { A: { if: { type: 'string' }, else: ref('A') } }],
  ['dependentSchemas', { A: { type: 'object', dependentSchemas: { x: ref('A') } } }],
  ['a reference into anyOf', { A: ref('B/anyOf/0'), B: { anyOf: [{ allOf: [ref('A')] }] } }],
])('checking is stopped if a schema applies itself to the same value through %s', async (_name, schemas) => {
  const { checkResponse } = operationOf(await contractOf(withSchemas(schemas)), 'listThings')
  const message = expect.stringContaining('recursive schemas')
  expect(checkResponse(200, { x: 1 })).toMatchObject([{ keyword: 'timeout', message }])
})

/** Returns the small document with additional schemas and with `A` as its response schema. */
function withSchemas(schemas: Schemas): string {
  return SMALL.replace('schemas/Thing', 'schemas/A').replace(/ +example:.*\n/, '') + linesOf(schemas)
}

const nested = (levels: number): Json => (levels === 0 ? {} : { a: nested(levels - 1) })

test.each<[string, Schemas]>([
  ['directly', { A: { allOf: [{ properties: { a: ref('A') } }, { properties: { a: ref('A') } }] } }],
  [
    'through other schemas',
    { A: { oneOf: [ref('B'), ref('C')] }, B: { properties: { a: ref('A') } }, C: { properties: { a: ref('A') } } },
  ],
])('the time to check a value against a schema that contains itself twice, %s, is limited', async (_name, schemas) => {
  const { checkResponse } = operationOf(await contractOf(withSchemas(schemas)), 'listThings')
  const message = expect.stringContaining('less deeply nested')
  expect(checkResponse(200, nested(60))).toMatchObject([{ keyword: 'timeout', message }])
  expect(checkResponse(200, nested(2)).filter(({ keyword }) => keyword === 'timeout')).toEqual([])
})

describe('schemas with many references', () => {
  const schemas = (count: number, create: (index: number) => JsonObject): JsonObject & Schemas =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index || ''}`, create(index)]))
  const pair = (one: JsonObject) => ({ type: 'object', properties: { a: one, b: one } })
  const all = (one: JsonObject) => ({ allOf: [one, one] })
  const chain = (length: number, link: (one: JsonObject) => JsonObject) =>
    schemas(length, (index) => (index + 1 === length ? { type: 'object' } : link(ref(`A${index + 1}`))))
  const clique = schemas(20, () => ({ type: 'object', properties: schemas(20, (index) => ref(`A${index || ''}`)) }))

  test.each<[string, Schemas, string[]]>([
    ['60 schemas that each refer to the next one twice', chain(60, pair), []],
    ['20 schemas that all refer to each other', clique, []],
    ['40 schemas that each apply the next one twice', chain(40, all), ['timeout']],
    ['1,000 schemas that each refer to the next one', chain(1000, (items) => ({ properties: { items } })), []],
  ])('are accepted, and their expansion is limited: %s', async (_name, schemas, keywords) => {
    expect(await findingsAbout(schemas)).toEqual([])
    const { checkResponse, responseSchema } = operationOf(await contractOf(withSchemas(schemas)), 'listThings')
    expect(JSON.stringify(responseSchema(200)).length).toBeLessThan(3_000_000)
    expect(checkResponse(200, {}).map(({ keyword }) => keyword)).toEqual(keywords)
  })
})

test('runWithTimeout returns the value of work that finishes in time, even if calls are nested', () => {
  expect(runWithTimeout(5000, () => runWithTimeout(5000, () => 'inner'))).toEqual({ value: { value: 'inner' } })
  expect(runWithTimeout(5000, () => undefined)).toEqual({ value: undefined })
})

test('runWithTimeout rethrows an exception that the work throws', () => {
  const error = new RangeError('a bug')
  const work = () => {
    throw error
  }
  expect(() => runWithTimeout(5000, work)).toThrow(error)
})

test('runWithTimeout reruns work that had to wait for the processor', () => {
  let runs = 0
  const sleepFirst = () => {
    runs += 1
    if (runs === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200) // takes no processor time
    return runs
  }
  // On a busy machine, a later run may also have to wait.
  expect(runWithTimeout(100, sleepFirst)).toMatchObject({ value: expect.toSatisfy((count) => count >= 2) })
})
