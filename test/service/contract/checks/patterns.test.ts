import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/base/core/json.ts'
import { hasCostlyPattern } from '../../../../src/service/contract/checks/patterns.ts'
import { contractOf, operationOf, SMALL } from '../documents.ts'

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

const nested = ['^(a+)+$', '(?:(a|b+)c)*', '(\\w+\\s?){2,}', '([()]x*)+', '^(([a-z])+.)+$']

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
})

const withName = (pattern: string) =>
  SMALL.replace('name: { type: string }', () => `name: { type: string, pattern: "${pattern}" }`)

test('a value for which the patterns take too long is refused, and the next value is checked as ever', async () => {
  const { checkResponse } = operationOf(await contractOf(withName('^(b|a+l*)+$')), 'listThings')
  const check = (name: string) => checkResponse(200, { name })
  const message = expect.stringContaining('Send shorter texts')
  expect(check(`${'a'.repeat(60)}!`)).toMatchObject([{ keyword: 'timeout', pointer: '', message }])
  expect(check('aaa')).toEqual([])
  expect(check('c')).toMatchObject([{ keyword: 'pattern', pointer: '/name' }])
})

test('so is a parameter for which they take too long', async () => {
  const parameter = '{ name: q, in: query, schema: { type: string, pattern: "^(a+)+$" } }'
  const withParameter = `operationId: listThings\n      parameters: [${parameter}]`
  const contract = await contractOf(SMALL.replace('operationId: listThings', () => withParameter))
  const { readParameters } = operationOf(contract, 'listThings')
  const read = (q: string) => readParameters({ path: {}, query: { q }, header: {} })
  expect(read(`${'a'.repeat(60)}!`).violations).toMatchObject([{ in: 'query', keyword: 'timeout' }])
  expect(read('aa')).toMatchObject({ values: { query: { q: 'aa' } }, violations: [] })
})
