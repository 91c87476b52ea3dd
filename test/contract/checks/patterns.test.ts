import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import { hasCostlyPattern, hasNestedRepetition } from '../../../src/contract/checks/patterns.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { contractOf, findingsOf, operationOf, SMALL } from '../documents.ts'

const documentWith = (schema: JsonObject) => ({ components: { schemas: { A: schema } } })

const linear = [
  '^[a-z][a-z0-9_-]*$',
  '^[0-9a-f]{64}$',
  '^/',
  'a{3}',
  '[*+|]',
  '^(?:[A-Z]{2})$',
  '^\\+\\d{1,14}$',
  '^[^@]+@x$',
]

const nested = ['^(a+)+$', '(a*)*', '(?:(a|b+)c)*', '(\\w+\\s?){2,}', '([()]x*)+', '((a+))+', '^(([a-z])+.)+$']

const costly = [...nested, 'a+b', '^a*a*$', '(a|a)*', '(a*)\\1', '(?=a)b+']

describe('a pattern', () => {
  test.each(linear)('%s takes linear time, and is not timed', (pattern) => {
    expect(checkSync(pattern, 'u')).toMatchObject({ status: 'safe' })
    expect(hasCostlyPattern(documentWith({ pattern }))).toBe(false)
  })

  test.each(costly)('%s is timed, also as the name of members', (pattern) => {
    expect(hasCostlyPattern(documentWith({ pattern }))).toBe(true)
    expect(hasCostlyPattern(documentWith({ patternProperties: { [pattern]: {} } }))).toBe(true)
  })

  test.each([...linear, ...costly].map((pattern) => [pattern, nested.includes(pattern)]))(
    '%s with a repetition within a repetition: %s',
    (pattern, expected) => {
      expect(hasNestedRepetition(pattern)).toBe(expected)
    },
  )
})

const withName = (pattern: string) =>
  SMALL.replace('name: { type: string }', () => `name: { type: string, pattern: "${pattern}" }`)

test('a pattern with a repetition within a repetition is a warning with its place', async () => {
  expect(await findingsOf(withName('^(b|a+l*)+$'))).toEqual([
    '21:31 warning "^(b|a+l*)+$" has a repetition within a repetition, which may take very long for some texts; they are refused',
  ])
  const members = `    Other: { type: object, patternProperties: { '(x*)*': { type: string } } }\n`
  expect((await findingsOf(SMALL + members)).join()).toMatch(/^22:\d+ warning "\(x\*\)\*" has a repetition within/)
})

test('a value for which the patterns take too long is refused, and the next value is checked as ever', async () => {
  const { checkResponse } = operationOf(await contractOf(withName('^(b|a+l*)+$')), 'listThings')
  const check = (name: string) => checkResponse(200, { name })
  expect(check(`${'a'.repeat(60)}!`)).toMatchObject([
    { keyword: 'timeout', pointer: '', message: expect.stringContaining('Send shorter texts') },
  ])
  expect(check('aaa')).toEqual([])
  expect(check('c')).toMatchObject([{ keyword: 'pattern', pointer: '/name' }])
})

test('so is a parameter for which they take too long', async () => {
  const parameter = '{ name: q, in: query, schema: { type: string, pattern: "^(a+)+$" } }'
  const contract = await contractOf(
    SMALL.replace('operationId: listThings', () => `operationId: listThings\n      parameters: [${parameter}]`),
  )
  const { readParameters } = operationOf(contract, 'listThings')
  const read = (q: string) => readParameters({ path: {}, query: { q }, header: {} })
  expect(read(`${'a'.repeat(60)}!`).violations).toMatchObject([{ in: 'query', keyword: 'timeout' }])
  expect(read('aa')).toMatchObject({ values: { query: { q: 'aa' } }, violations: [] })
})
