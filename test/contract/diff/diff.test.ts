import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { diffContracts } from '../../../src/contract/diff/diff.ts'
import type { JsonObject } from '../../../src/core/json.ts'

type Change = readonly [level: string, kind: string, message: string]

/** Returns a document with one operation. */
function documentOf(operation: JsonObject, rest: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    servers: [{ url: '/v1' }],
    paths: { '/things/{id}': { put: { operationId: 'putThing', responses: { 200: {} }, ...operation } } },
    ...rest,
  }
}

const changesOf = (old: JsonObject, present: JsonObject): Change[] =>
  diffContracts(old, present).map(({ level, kind, message }) => [level, kind, message])

const kindsOf = (old: JsonObject, present: JsonObject) =>
  changesOf(old, present).map(([level, kind]) => [level, kind])

const json = (schema: string) => ({ content: { 'application/json': { schema: parse(schema) } } })
const requestWith = (schema: string) => documentOf({ requestBody: { required: true, ...json(schema) } })
const answerWith = (schema: string) => documentOf({ responses: { 200: json(schema) } })

/** The change of a schema, with its level in a request and in an answer. */
const schemaChanges: readonly [
  old: string,
  present: string,
  inRequest: string,
  inAnswer: string,
  kind: string,
][] = [
  ['{ type: string }', "{ type: [string, 'null'] }", 'compatible', 'breaking', 'null-added'],
  ["{ type: [string, 'null'] }", '{ type: string }', 'breaking', 'compatible', 'null-removed'],
  [
    "{ anyOf: [{ type: string }, { type: 'null' }] }",
    '{ type: string }',
    'breaking',
    'compatible',
    'null-removed',
  ],
  ['{ type: integer }', '{ type: number }', 'compatible', 'breaking', 'type-changed'],
  ['{ type: number }', '{ type: integer }', 'breaking', 'compatible', 'type-changed'],
  ['{}', '{ type: string }', 'breaking', 'compatible', 'type-changed'],
  ['{ enum: [a] }', '{ enum: [a, b] }', 'compatible', 'risky', 'enum-value-added'],
  ['{ enum: [a, b] }', '{ enum: [a] }', 'breaking', 'compatible', 'enum-value-removed'],
  ['{ enum: [a, b] }', '{ const: a }', 'breaking', 'compatible', 'enum-value-removed'],
  ['{ type: string }', '{ type: string, enum: [a] }', 'breaking', 'compatible', 'enum-value-removed'],
  ['{ type: string, enum: [a] }', '{ type: string }', 'compatible', 'risky', 'enum-value-added'],
  ['{ format: date }', '{}', 'compatible', 'breaking', 'format-changed'],
  ['{}', '{ format: date }', 'breaking', 'compatible', 'format-changed'],
  ['{ format: date }', '{ format: time }', 'risky', 'risky', 'format-changed'],
  ['{ pattern: a }', '{ pattern: b }', 'risky', 'risky', 'pattern-changed'],
  ['{ minimum: 1 }', '{ minimum: 2 }', 'breaking', 'compatible', 'bound-changed'],
  ['{ maxLength: 1 }', '{ maxLength: 2 }', 'compatible', 'breaking', 'bound-changed'],
  ['{ maxItems: 3 }', '{}', 'compatible', 'breaking', 'bound-changed'],
  ['{ multipleOf: 2 }', '{ multipleOf: 4 }', 'breaking', 'compatible', 'bound-changed'],
  ['{ uniqueItems: true }', '{}', 'compatible', 'breaking', 'bound-changed'],
  ['{ default: 1 }', '{ default: 2 }', 'risky', 'risky', 'default-changed'],
  ['{ properties: { a: {} } }', '{ properties: {} }', 'risky', 'risky', 'field-removed'],
  ['{ required: [a], properties: { a: {} } }', '{ properties: {} }', 'risky', 'breaking', 'field-removed'],
  [
    '{ properties: { a: {} }, additionalProperties: false }',
    '{ properties: {}, additionalProperties: false }',
    'breaking',
    'risky',
    'field-removed',
  ],
  ['{ properties: {} }', '{ properties: { a: {} } }', 'compatible', 'compatible', 'field-added'],
  ['{ properties: {} }', '{ required: [a], properties: { a: {} } }', 'breaking', 'compatible', 'field-added'],
  [
    '{ additionalProperties: false }',
    '{ properties: { a: {} }, additionalProperties: false }',
    'compatible',
    'breaking',
    'field-added',
  ],
  [
    '{ properties: { a: {} } }',
    '{ required: [a], properties: { a: {} } }',
    'breaking',
    'compatible',
    'field-required',
  ],
  [
    '{ required: [a], properties: { a: {} } }',
    '{ properties: { a: {} } }',
    'compatible',
    'breaking',
    'field-optional',
  ],
  ['{}', '{ additionalProperties: false }', 'breaking', 'compatible', 'further-fields-changed'],
  ['{ additionalProperties: false }', '{}', 'compatible', 'risky', 'further-fields-changed'],
  ['{ items: { minimum: 1 } }', '{ items: { minimum: 2 } }', 'breaking', 'compatible', 'bound-changed'],
  [
    '{ additionalProperties: { minimum: 1 } }',
    '{ additionalProperties: { minimum: 2 } }',
    'breaking',
    'compatible',
    'bound-changed',
  ],
  ['{ items: { type: string } }', '{}', 'compatible', 'breaking', 'type-changed'],
  ['{ allOf: [{ minimum: 1 }] }', '{ allOf: [{ minimum: 2 }] }', 'breaking', 'compatible', 'bound-changed'],
  ['{ minimum: 1 }', '{ allOf: [{ minimum: 2 }] }', 'breaking', 'compatible', 'bound-changed'],
  [
    '{ oneOf: [{ minimum: 1 }, {}] }',
    '{ oneOf: [{ minimum: 1 }, {}, { minimum: 9 }] }',
    'compatible',
    'breaking',
    'variant-added',
  ],
  [
    '{ anyOf: [{ minimum: 1 }, { maximum: 1 }, {}] }',
    '{ anyOf: [{ maximum: 1 }, {}] }',
    'breaking',
    'compatible',
    'variant-removed',
  ],
  ['{ not: { const: 1 } }', '{ not: { const: 2 } }', 'risky', 'risky', 'not-compared'],
]

describe('a schema', () => {
  test.each(schemaChanges)(
    '%s that becomes %s is %s in a request and %s in an answer',
    (old, present, inRequest, inAnswer, kind) => {
      expect(kindsOf(requestWith(old), requestWith(present))).toEqual([[inRequest, kind]])
      expect(kindsOf(answerWith(old), answerWith(present))).toEqual([[inAnswer, kind]])
    },
  )

  test.each([
    ['{ title: A, description: B, example: 1, x-a: 1 }', '{ title: C }'],
    ['{ type: string }', '{ allOf: [{ type: string }] }'],
    ['{ required: [a, b] }', '{ required: [b, a] }'],
    ['{ oneOf: [{ minimum: 1 }, { maximum: 1 }, {}] }', '{ oneOf: [{}, { maximum: 1 }, { minimum: 1 }] }'],
    [
      "{ type: [string, 'null'], enum: [a, null] }",
      "{ anyOf: [{ type: string, enum: [a] }, { type: 'null' }] }",
    ],
  ])('%s that becomes %s is no change', (old, present) => {
    expect(changesOf(requestWith(old), requestWith(present))).toEqual([])
    expect(changesOf(answerWith(old), answerWith(present))).toEqual([])
  })

  test('has its changes named by the place of the value', () => {
    const old = answerWith('{ properties: { a: { items: { properties: { b: { type: string } } } } } }')
    const present = answerWith('{ properties: { a: { items: { properties: { b: { type: number } } } } } }')
    expect(changesOf(old, present)).toEqual([
      ['breaking', 'type-changed', 'the answer 200 /a/*/b can be of the type number'],
      ['compatible', 'type-changed', 'the answer 200 /a/*/b is no longer of the type string'],
    ])
  })

  test('that refers to itself is compared once', () => {
    const tree = (type: string) => ({
      components: {
        schemas: { Tree: { type, properties: { child: { $ref: '#/components/schemas/Tree' } } } },
      },
    })
    const operation = { responses: { 200: json("{ $ref: '#/components/schemas/Tree' }") } }
    expect(
      changesOf(documentOf(operation, tree('object')), documentOf(operation, tree('array'))),
    ).toHaveLength(4)
  })

  test('does not travel in a request if it is read-only, nor in an answer if it is write-only', () => {
    const readOnly = ['{ properties: { a: { readOnly: true } } }', '{ properties: {} }'] as const
    expect(changesOf(requestWith(readOnly[0]), requestWith(readOnly[1]))).toEqual([])
    const writeOnly = [
      '{ properties: {} }',
      '{ required: [a], properties: { a: { writeOnly: true } } }',
    ] as const
    expect(changesOf(answerWith(writeOnly[0]), answerWith(writeOnly[1]))).toEqual([])
  })
})

const body = (more: JsonObject) => ({ requestBody: { ...json('{}'), ...more } })
const parameter = (more: JsonObject) => ({
  parameters: [
    { name: 'id', in: 'path', required: true, schema: {} },
    { name: 'q', in: 'query', schema: {}, ...more },
  ],
})
const header = (more: JsonObject) => ({ responses: { 200: { headers: { ETag: { schema: {}, ...more } } } } })
const secured = (...schemes: string[]) => ({ security: schemes.map((name) => ({ [name]: [] })) })

describe('an operation', () => {
  test.each<[string, JsonObject, JsonObject, string, string]>([
    [
      'with a new parameter',
      { parameters: [] },
      { parameters: [{ name: 'q', in: 'query' }] },
      'compatible',
      'parameter-added',
    ],
    [
      'with a new required parameter',
      {},
      { parameters: [{ name: 'q', in: 'query', required: true }] },
      'breaking',
      'parameter-added',
    ],
    ['without a parameter', { parameters: [{ name: 'q', in: 'header' }] }, {}, 'risky', 'parameter-removed'],
    [
      'whose parameter is required',
      parameter({}),
      parameter({ required: true }),
      'breaking',
      'parameter-required',
    ],
    [
      'whose parameter is optional',
      parameter({ required: true }),
      parameter({}),
      'compatible',
      'parameter-optional',
    ],
    [
      'whose parameter has another schema',
      parameter({ schema: { maximum: 2 } }),
      parameter({ schema: { maximum: 1 } }),
      'breaking',
      'bound-changed',
    ],
    [
      'whose parameter has another style',
      parameter({}),
      parameter({ explode: false }),
      'breaking',
      'parameter-style-changed',
    ],
    ['with a new body', {}, body({}), 'compatible', 'body-added'],
    ['with a new required body', {}, body({ required: true }), 'breaking', 'body-added'],
    ['whose body is required', body({}), body({ required: true }), 'breaking', 'body-required'],
    ['whose body is optional', body({ required: true }), body({}), 'compatible', 'body-optional'],
    ['without its body', body({}), {}, 'risky', 'body-removed'],
    [
      'with a media type less',
      { requestBody: { content: { 'text/csv': {}, 'text/plain': {} } } },
      { requestBody: { content: { 'text/csv': {} } } },
      'breaking',
      'media-type-removed',
    ],
    [
      'with one more media type',
      { requestBody: { content: { 'text/csv': {} } } },
      { requestBody: { content: { 'text/csv': {}, 'text/plain': {} } } },
      'compatible',
      'media-type-added',
    ],
    [
      'without a status of success',
      { responses: { 200: {}, 202: {} } },
      { responses: { 200: {} } },
      'breaking',
      'status-removed',
    ],
    [
      'without a refusal',
      { responses: { 200: {}, 404: {} } },
      { responses: { 200: {} } },
      'compatible',
      'status-removed',
    ],
    [
      'with another status of success',
      { responses: { 200: {} } },
      { responses: { 200: {}, 202: {} } },
      'risky',
      'status-added',
    ],
    [
      'with another status of a known range',
      { responses: { '2XX': {} } },
      { responses: { '2XX': {}, 202: {} } },
      'compatible',
      'status-added',
    ],
    [
      'with another refusal',
      { responses: { 200: {} } },
      { responses: { 200: {}, 429: {} } },
      'compatible',
      'status-added',
    ],
    ['without a header', header({}), { responses: { 200: {} } }, 'risky', 'header-removed'],
    [
      'without a required header',
      header({ required: true }),
      { responses: { 200: {} } },
      'breaking',
      'header-removed',
    ],
    ['whose header can be absent', header({ required: true }), header({}), 'breaking', 'header-optional'],
    [
      'whose header has another schema',
      header({ schema: { type: 'string' } }),
      header({}),
      'breaking',
      'type-changed',
    ],
    ['with a new header', { responses: { 200: {} } }, header({}), 'compatible', 'header-added'],
    ['with another id', { operationId: 'a' }, { operationId: 'b' }, 'risky', 'operation-renamed'],
    ['that is deprecated', {}, { deprecated: true }, 'compatible', 'operation-deprecated'],
    ['that demands a key', {}, secured('key'), 'breaking', 'security-changed'],
    ['that accepts another key', secured('key'), secured('key', 'token'), 'compatible', 'security-changed'],
    [
      'that no longer accepts a key',
      secured('key', 'token'),
      secured('token'),
      'breaking',
      'security-changed',
    ],
    ['with another callback', { callbacks: { a: {} } }, { callbacks: {} }, 'risky', 'not-compared'],
  ])('%s', (_sentence, old, present, level, kind) => {
    expect(kindsOf(documentOf(old), documentOf(present))).toEqual([[level, kind]])
  })

  test('is the same whatever its path parameters are called', () => {
    const old = documentOf(parameter({}))
    const present = JSON.parse(JSON.stringify(old).replace('{id}', '{thing}').replace('"id"', '"thing"'))
    expect(changesOf(old, present)).toEqual([])
  })

  test('is gone, or new', () => {
    const present = { ...documentOf({}), paths: { '/others': { get: { responses: { 200: {} } } } } }
    expect(changesOf(documentOf({}), present)).toEqual([
      ['breaking', 'operation-removed', 'PUT /things/{id} is gone'],
      ['compatible', 'operation-added', 'GET /others is new'],
    ])
  })
})

test('another base path breaks clients', () => {
  const present = documentOf({}, { servers: [{ url: 'https://other.test/v2' }] })
  expect(kindsOf(documentOf({}), present)).toEqual([['breaking', 'base-path-changed']])
  expect(changesOf(documentOf({}), documentOf({}, { servers: [{ url: 'https://other.test/v1' }] }))).toEqual(
    [],
  )
})

test('a change of a shared schema is one change with all its operations', () => {
  const withSchema = (schema: string): JsonObject => ({
    ...documentOf({}),
    components: { schemas: { Thing: parse(schema) } },
    paths: Object.fromEntries(
      ['a', 'b'].map((id) => [
        `/${id}`,
        { get: { operationId: id, responses: { 200: json("{ $ref: '#/components/schemas/Thing' }") } } },
      ]),
    ),
  })
  const changes = diffContracts(withSchema('{ minimum: 2 }'), withSchema('{ minimum: 1 }'))
  expect(changes).toMatchObject([
    {
      operations: ['a', 'b'],
      old: '/components/schemas/Thing/minimum',
      new: '/components/schemas/Thing/minimum',
    },
  ])
})

describe('a range of statuses covers its members', () => {
  const responses = (byStatus: JsonObject) => documentOf({ responses: byStatus })
  const [text, orNull] = [json('{ type: string }'), json("{ type: [string, 'null'] }")]

  test.each<[string, JsonObject, JsonObject, Change[]]>([
    [
      'a member becomes the range',
      { 200: text },
      { '2XX': text },
      [
        [
          'risky',
          'status-added',
          'the answer 2XX is new, which breaks clients that know one status of success',
        ],
      ],
    ],
    [
      'a member becomes the range with another schema',
      { 404: text },
      { '4XX': orNull },
      [
        ['breaking', 'null-added', 'the answer 404 can be of the type null'],
        ['compatible', 'status-added', 'the answer 4XX is new'],
      ],
    ],
    [
      'the range becomes members',
      { '2XX': text },
      { 200: text, 201: orNull },
      [
        ['breaking', 'null-added', 'the answer 201 can be of the type null'],
        ['compatible', 'status-removed', 'the answer 2XX is 200, 201 alone'],
        ['compatible', 'status-added', 'the answer 200 is new'],
        ['compatible', 'status-added', 'the answer 201 is new'],
      ],
    ],
  ])('%s', (_change, old, present, changes) => {
    expect(changesOf(responses(old), responses(present))).toEqual(changes)
  })
})
