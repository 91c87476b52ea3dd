import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/base/core/json.ts'
import { parsePointer } from '../../../src/base/core/json-pointer.ts'
import type { ControlSchemas } from '../../../src/client/transport.ts'
import type { Operation } from '../../../src/service/contract/contract.ts'
import { loadContract } from '../../../src/service/contract/load.ts'
import { ask } from '../../support/client.ts'
import { documentWithPaths } from '../../support/documents.ts'
import { startForTest, type TestSimulator } from '../../support/start.ts'
import { readControl } from '../../support/stored-records.ts'

type Suggestion = ControlSchemas['MissingPoint']

const json = (schema: JsonObject, example?: Json) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})
const ok = { description: 'Done.' }
const color = { type: 'string', enum: ['red', 'green'] }
const query = (name: string, schema: JsonObject, others: JsonObject = {}) => ({ name, in: 'query', schema, ...others })

/** An operation for each construct: its method and path, and what it describes. */
const constructs: Record<string, readonly [method: string, path: string, operation: JsonObject]> = {
  'enums in a deepObject': [
    'get',
    '/boxes',
    {
      parameters: [
        query(
          'filter',
          { type: 'object', required: ['color'], properties: { color, size: { type: 'integer', enum: [1, 2] } } },
          { style: 'deepObject' },
        ),
      ],
    },
  ],
  'an array of an enum': [
    'get',
    '/shades',
    { parameters: [query('shade', { type: 'array', items: color }, { explode: false })] },
  ],
  'numbers and booleans': [
    'get',
    '/sorted',
    {
      parameters: [
        query('page', { type: 'integer', enum: [10, 20] }),
        query('deep', { type: 'boolean', enum: [true, false] }),
      ],
    },
  ],
  'a path and a header': [
    'get',
    '/stores/{color}',
    {
      parameters: [
        { name: 'color', in: 'path', required: true, schema: color },
        { name: 'X-Trace', in: 'header', schema: color },
      ],
    },
  ],
  'readOnly and writeOnly': [
    'post',
    '/users',
    {
      requestBody: {
        required: true,
        content: json({
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', readOnly: true },
            name: { type: 'string' },
            state: { readOnly: true, type: 'string', enum: ['new', 'old'] },
            role: { type: 'string', enum: ['admin', 'guest'], writeOnly: true },
          },
        }),
      },
      responses: {
        201: {
          description: 'Made.',
          content: json(
            {
              type: 'object',
              required: ['id'],
              properties: {
                id: { type: 'string', readOnly: true },
                role: { type: 'string', enum: ['admin', 'guest'], writeOnly: true },
              },
            },
            { id: 'u' },
          ),
        },
      },
    },
  ],
  'an enum that a part narrows': [
    'post',
    '/paints',
    {
      requestBody: {
        content: json({
          type: 'object',
          properties: {
            paint: { allOf: [{ type: 'string', enum: ['red', 'green', 'blue'] }, { enum: ['red', 'blue', 5] }] },
            tags: { type: 'array', items: { type: ['string', 'null'], enum: ['a', 'b', null] } },
          },
        }),
      },
    },
  ],
  'ranges and other statuses': [
    'get',
    '/ranges',
    {
      responses: {
        200: ok,
        '4XX': { description: 'Refused.' },
        404: { description: 'None.' },
        default: { description: 'Else.' },
      },
    },
  ],
  'listed and nullable values of a response': [
    'get',
    '/lights',
    {
      responses: {
        200: {
          description: 'A light.',
          content: {
            'application/json': {
              schema: { type: 'object', properties: { color, note: { type: ['string', 'null'] } } },
              examples: {
                one: { value: { color: 'red', note: null } },
                two: { value: { color: 'green', note: 'on' } },
              },
            },
          },
        },
      },
    },
  ],
}

/** A schema with the parts that it is composed of as one. */
function flatten(schema: JsonObject) {
  const parts = [schema, ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => (schema[name] ?? []) as JsonObject[])]
  const collect = <T>(name: string) => parts.flatMap((part) => (part[name] ?? []) as T | T[]) as T[]
  return {
    types: collect<string>('type'),
    listed: collect<Json>('enum'),
    required: collect<string>('required'),
    properties: Object.assign({}, ...collect<JsonObject>('properties')) as Record<string, JsonObject>,
    items: (schema['items'] ?? {}) as JsonObject,
  }
}

/** Returns a small value of a schema that has `value`, or anything, at the tokens of a pointer. */
function sample(schema: JsonObject, [token, ...rest]: readonly string[] = [], value?: Json): Json {
  const { types, listed, required, properties, items } = flatten(schema)
  if (token === undefined && value !== undefined) return value
  if (types.includes('array')) return [sample(items, rest, value)]
  if (!types.includes('object')) return listed[0] ?? (types.includes('integer') ? 1 : 'text')
  const names = new Set([...required, ...(token === undefined ? [] : [token])])
  const members = Object.entries(properties).filter(([name, one]) => names.has(name) && one['readOnly'] !== true)
  return Object.fromEntries(
    members.map(([name, one]) => [name, name === token ? sample(one, rest, value) : sample(one)]),
  )
}

/** Returns the name and value of each parameter that a suggestion needs. */
function listParameters({ parameters }: Operation, { point: { in: location, name, pointer = '', value } }: Suggestion) {
  return parameters.flatMap((one) => {
    const isMeant = one.in === location && one.name === name
    if (!one.required && !isMeant) return []
    const sent = isMeant ? sample(one.schema, parsePointer(pointer), value) : sample(one.schema)
    if (!one.isDeepObject) return [{ ...one, text: String(sent) }]
    return Object.entries(sent as JsonObject).map(([key, inner]) => {
      return { ...one, name: `${one.name}[${key}]`, text: String(inner) }
    })
  })
}

/** Sends the request that a suggestion describes. */
function follow(sim: TestSimulator, operation: Operation, suggestion: Suggestion) {
  const { point, headers = {} } = suggestion
  const parameters = listParameters(operation, suggestion)
  const of = (location: string) => parameters.filter((one) => one.in === location)
  const path = of('path').reduce((text, { name, text: value }) => text.replace(`{${name}}`, value), operation.path)
  const search = new URLSearchParams(Object.fromEntries(of('query').map(({ name, text }) => [name, text])))
  const schema = operation.bodySchema()
  const isOfBody = point.kind === 'field' || point.kind === 'field-value'
  const [pointer, value] = isOfBody ? [point.pointer ?? '', point.value] : ['']
  const content = schema && sample(schema, parsePointer(pointer), value)
  return ask(sim, `/v1${path}?${search}`, {
    method: operation.method,
    headers: { ...headers, ...Object.fromEntries(of('header').map(({ name, text }) => [name, text])) },
    ...(content !== undefined && { body: content }),
  })
}

test.each(Object.entries(constructs))(
  'each suggestion about %s can be followed, to 100 %%',
  async (_, [method, path, given]) => {
    const contract = await documentWithPaths({ [path]: { [method]: { responses: { 200: ok }, ...given } } })
    const loaded = await loadContract(contract)
    const operation = loaded.ok ? loaded.value.operations.find((one) => one.path === path) : undefined
    if (!operation) throw new Error('the document has no operation')
    const sim = await startForTest({ contract })
    const read = async () =>
      (await readControl<ControlSchemas['Coverage']>(sim, '/coverage')).operations.find(
        ({ operation: id }) => id === operation.id,
      )
    const points = (await read())?.points
    for (let before = await read(); before?.missing[0]; before = await read()) {
      const [suggestion] = before.missing
      const response = await follow(sim, operation, suggestion)
      const after = await read()
      expect([suggestion.name, response.status, after?.points]).toEqual([suggestion.name, expect.any(Number), points])
      expect(after?.covered, `${suggestion.sentence} ${response.text}`).toContain(suggestion.name)
    }
    expect(await read()).toMatchObject({ percent: 100 })
  },
)
