import { describe, expect, test } from 'vitest'
import { loadContract } from '../../../src/service/contract/load.ts'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

/** Returns the small document with `from` replaced by `to`. */
function withText(from: string, to: string): string {
  expect(SMALL).toContain(from)
  return SMALL.replace(from, () => to)
}

test('there are no findings about a valid document', async () => {
  expect(await findingsOf(SMALL)).toEqual([])
})

describe('a mistake in a document is reported with its location:', () => {
  const name = '#/components/schemas/Thing/properties/name'
  const types = 'array, boolean, integer, null, number, object, string, or a list of these types'
  const ignored = (keyword: string, expected: string) => `warning "${keyword}" is ignored; it must be ${expected}`
  const simulatedValuesProblem = 'must be an object of validation keywords with valid values, such as {maximum: 1}'
  test.each([
    [`{ $ref: '${name}' }`, `21:17 warning $ref "${name}" is circular; any value is accepted`],
    ['{ type: text }', `21:17 ${ignored('type', `one of ${types}`)}`],
    ['{ type: string, x-simulated-values: [ball] }', `21:31 warning ${simulatedValuesProblem}`],
    ["{ type: string, pattern: '(' }", `21:31 ${ignored('pattern', 'a regular expression')}`],
    ["{ type: string, minLength: '1' }", `21:31 ${ignored('minLength', 'a non-negative integer')}`],
    ['{ type: string, enum: [] }', `21:31 ${ignored('enum', 'a non-empty list of values')}`],
    ['{ type: string, properties: { a: 1 } }', `21:31 ${ignored('properties', 'a map from names to schemas')}`],
    ['{ type: string, format: color }', '21:31 warning the format "color" is unknown and not checked'],
  ])('the schema %s', async (schema, finding) => {
    expect(await findingsOf(withText('name: { type: string }', `name: ${schema}`))).toEqual([finding])
  })

  const inSequence = 'Flow sequence in block collection must be sufficiently indented and end with a ]'
  const description = '          description: All things\n'
  const missing = '/paths/~1things/get/responses/200/description'
  const examples = 'examples: { ball: { value: {} } }'
  const otherStatus = 'warning has no 2xx response; its lowest status above 299 is sent, or 200 if there is none'
  const supported = 'only 2.0, 3.0, 3.1 and 3.2 are supported'
  test.each([
    ['a syntax error', 'info: {', 'info: [{', `3:1 error ${inSequence}`],
    ['a duplicate key', 'type: object', 'type: object\n      type: a', '19:7 error is a duplicate key'],
    [
      'an invalid example',
      'example: { name: ball }',
      examples,
      '14:35 warning the example "ball" does not match its schema: /name is required',
    ],
    ['no success status', "'200':", "'404':", `6:5 ${otherStatus}`],
    ['a response with no description', description, '', `9:9 warning is not valid OpenAPI 3.1: ${missing} is required`],
    ['version 3.3', 'openapi: 3.1.0', 'openapi: 3.3.0', `1:1 error is OpenAPI 3.3.0; ${supported}`],
    ['Swagger 1.2', 'openapi: 3.1.0', "swagger: '1.2'", `1:1 error is OpenAPI 1.2; ${supported}`],
  ])('%s', async (_mistake, from, to, finding) => {
    expect(await findingsOf(withText(from, to))).toEqual([finding])
  })

  test.each([
    ['', '1:1 error is empty; expected YAML or JSON'],
    [' \n# a comment\n', '1:1 error is empty; expected YAML or JSON'],
    ['[]', '1:1 error is not an OpenAPI document'],
    ['{}', '1:1 error is not an OpenAPI document: expected "openapi: 3.1.0" at the top'],
  ])('the document %j', async (text, finding) => {
    expect(await findingsOf(text)).toEqual([finding])
  })
})

const byMethodAndPath = 'this operation is named after its method and path'

test('operations in referenced path items are checked, even if the document has no other operations', async () => {
  const item = (name: string) =>
    `    ${name}:\n      get: { operationId: a, responses: { '404': { description: no } } }\n`
  const paths = "  /a: { $ref: '#/components/pathItems/a' }\n  /b: { $ref: '#/components/pathItems/b' }\n"
  const items = `components:\n  pathItems:\n${item('a')}${item('b')}`
  const text = `${SMALL.slice(0, SMALL.indexOf('  /things'))}${paths}${items}`
  expect(await findingsOf(text)).toEqual([
    '10:7 warning has no 2xx response; its lowest status above 299 is sent, or 200 if there is none',
    '12:7 warning has no 2xx response; its lowest status above 299 is sent, or 200 if there is none',
    `12:14 warning the operationId "a" is already used at doc.yaml:10:14; ${byMethodAndPath}`,
  ])
  const valid = text.replaceAll("'404'", "'200'").replace('a, resp', 'b, resp')
  expect(await findingsOf(valid)).toEqual([])
  expect(await findingsOf(valid.replace("/a'", "/a', get: { responses: { '200': { description: ok } } }"))).toEqual([
    '5:43 warning is ignored, because the path item uses $ref to refer to another path item',
  ])
})

test('all findings about a document are returned at once', async () => {
  const more = "  /more:\n    get: { responses: { '200': { $ref: '#/components/responses/None' } } }\n"
  const text = withText('name: ball', 'name: 7')
    .replace('info: { title: Small, version: 1.0.0 }', 'info: { title: Small }')
    .replace('[name]', '[name]\n      nullable: true\n      propertys: {}')
    .replace('components:', `${more}components:`)
  expect(await findingsOf(text)).toEqual([
    '2:1 warning is not valid OpenAPI 3.1: /info/version is required',
    '16:34 warning $ref "#/components/responses/None" points to nothing; it is ignored',
    '22:7 warning "nullable: true" is not defined in OpenAPI 3.1 and is treated as allowing null. ' +
      'Write a list of types with null instead, such as type: [string, "null"]',
    '23:7 warning "propertys" is not a keyword of JSON Schema 2020-12 and has no effect',
    '14:26 warning the example "example" does not match its schema: /name must be a string; got 7 (a number)',
  ])
})

test('the findings about an unreadable contract and unreadable overlays are reported together', async () => {
  const loaded = await loadContract('none.yaml', { overlays: ['neither.yaml', 'nor.yaml'] })
  expect(loaded.ok ? [] : loaded.error.map(({ place }) => place)).toEqual(['none.yaml', 'neither.yaml', 'nor.yaml'])
})

test('an OpenAPI 3.2 document is served as OpenAPI 3.1, and a finding says so', async () => {
  const document = SMALL.replace('openapi: 3.1.0', 'openapi: 3.2.0')
  const note =
    '1:1 info is OpenAPI 3.2, served as 3.1; members that 3.2 added are ignored, except example values and "itemSchema"'
  expect(await findingsOf(document)).toEqual([note])
  const finding = '2:1 warning is not valid OpenAPI 3.2: /info/version is required'
  expect(await findingsOf(document.replace(', version: 1.0.0', ''))).toContain(finding)
})

test('a response with an undocumented status causes a violation that lists the documented statuses', async () => {
  const { checkResponse } = operationOf(await contractOf(SMALL), 'listThings')
  const message = 'has the undocumented status 404; documented: 200'
  expect(checkResponse(404, {})).toEqual([{ in: 'response', pointer: '', keyword: 'status', message }])
})
