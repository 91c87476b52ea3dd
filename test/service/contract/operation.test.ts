import { describe, expect, test } from 'vitest'
import type { RawParameters } from '../../../src/service/contract/contract.ts'
import { contractOf, operationOf } from './documents.ts'

const contract = await contractOf(`openapi: 3.1.0
info: { title: Everything, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ key: [] }]
paths:
  /things/{id}:
    parameters:
      - { $ref: '#/components/parameters/Id' }
      - { name: limit, in: query, schema: { type: integer, minimum: 1, default: 10 } }
      - { name: replaced, in: query, required: true, schema: { type: boolean } }
    get:
      operationId: read
      security: [{}, { key: [] }]
      parameters:
        - { name: replaced, in: query, schema: { type: string } }
        - { name: tags, in: query, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, content: { application/json: { schema: { type: object, required: [a] } } } }
        - { name: X-Trace, in: header, required: true, schema: { type: string, minLength: 3, default: abc } }
        - { name: Accept, in: header, required: true, schema: { type: string } }
      responses:
        '200': { description: fine, content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }
        '204': { description: nothing }
        4XX: { $ref: '#/components/responses/Refused' }
        default: { description: anything else }
    put:
      operationId: write
      requestBody: { $ref: '#/components/requestBodies/Tree' }
      responses:
        '202': { description: later }
        '201': { description: now }
  /free:
    post:
      security: []
      responses: { 2XX: { description: fine } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  parameters:
    Id: { name: id, in: path, required: true, schema: { $ref: '#/components/schemas/Number' } }
  requestBodies:
    Tree:
      content:
        application/json; charset=utf-8: { schema: { $ref: '#/components/schemas/Tree' } }
        application/*+json: { schema: { $ref: '#/components/schemas/Number' } }
        text/*: { schema: { type: string, maxLength: 3 } }
  responses:
    Refused:
      description: refused
      content:
        application/problem+json:
          schema: { type: object, required: [title] }
  schemas:
    Number: { type: integer }
    Tree:
      type: object
      properties:
        children: { type: array, items: { $ref: '#/components/schemas/Tree' } }
        size: { $ref: '#/components/schemas/Number' }
`)
const read = operationOf(contract, 'read')
const write = operationOf(contract, 'write')

function sent(parts: Partial<RawParameters>): RawParameters {
  return { path: { id: '7' }, query: {}, header: { 'x-trace': 'abc' }, ...parts }
}

describe('parameters', () => {
  test('are coerced and get their defaults, and the sent object stays unchanged', () => {
    const query = { tags: ['1', '2'], unknown: 'x' }
    const { values, violations } = read.readParameters(sent({ query }))
    expect(violations).toEqual([])
    expect(values).toEqual({ path: { id: 7 }, query: { limit: 10, tags: [1, 2] }, header: { 'x-trace': 'abc' } })
    expect(query).toEqual({ tags: ['1', '2'], unknown: 'x' })
  })

  test.each<[Partial<RawParameters>, string]>([
    [{ path: { id: 'x' } }, 'path /id type must be an integer; got "x" (a string)'],
    [{ path: {} }, 'path /id required is required'],
    [{ query: { limit: '0' } }, 'query /limit minimum must be at least 1; got 0'],
    [{ query: { limit: ['1', '2'] } }, 'query /limit type must be an integer; got an array of 2'],
    [{ query: { tags: ['1', 'x'] } }, 'query /tags/1 type must be an integer; got "x" (a string)'],
    [{ query: { filter: '{' } }, 'query /filter json must be JSON; it cannot be parsed'],
    [{ query: { filter: '{}' } }, 'query /filter/a required is required'],
    [{ header: {} }, 'header /x-trace required is required'],
    [{ header: { 'x-trace': 'a' } }, 'header /x-trace minLength must have at least 3 characters; got "a"'],
  ])('the parameters %j break a rule', (parts, expected) => {
    const found = read.readParameters(sent(parts)).violations
    expect(found.map((one) => `${one.in} ${one.pointer} ${one.keyword} ${one.message}`)).toEqual([expected])
  })
})

describe('bodies', () => {
  test('have their media types, and any body passes if the document describes none', () => {
    expect(write.body).toEqual({ required: false, mediaTypes: ['application/json', 'application/*+json', 'text/*'] })
    expect(read.body).toBeUndefined()
    expect(read.checkBody('application/json', 'anything')).toEqual([])
  })
})

describe('responses', () => {
  test('are found by status, then by range, then by default', () => {
    const descriptions = ['fine', 'nothing', 'refused', 'anything else']
    expect([200, 204, 404, 500].map((status) => read.responseDescription(status))).toEqual(descriptions)
    expect(operationOf(contract, 'POST /free')).toMatchObject({ statuses: [], successStatus: 200 })
  })

  test('are checked against the schema of their JSON body', () => {
    expect(read.checkResponse(200, { size: 1 })).toEqual([])
    expect(read.checkResponse(200, { size: 1.5 })).toMatchObject([{ pointer: '/size', keyword: 'type' }])
    expect(read.checkResponse(418, {})).toMatchObject([{ pointer: '/title', keyword: 'required' }])
    expect(read.checkResponse(204, null)).toEqual([])
    const message = 'the status 404 is not documented; documented are 201, 202'
    expect(write.checkResponse(404, {})).toEqual([{ in: 'response', pointer: '', keyword: 'status', message }])
  })

  test('have a schema without references, except to itself', () => {
    expect(read.responseSchema(200)).toMatchObject({
      properties: { size: { type: 'integer' }, children: { items: { properties: { size: { type: 'integer' } } } } },
    })
    expect(read.responseSchema(204)).toBeUndefined()
  })
})

test('the responses of a path item whose name begins with x- are those of any other', async () => {
  const { operations } = await contractOf(`openapi: 3.1.0
info: { title: Referenced, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /other: { get: { responses: { '204': { description: nothing } } } }
  /things: { $ref: '#/components/pathItems/x-things' }
components:
  pathItems:
    x-things:
      get:
        responses:
          x-note: { description: no response }
          '200': { description: fine, content: { application/json: { schema: { type: object, required: [a] } } } }
`)
  expect(operations.map(({ statuses }) => statuses)).toEqual([[204], [200]])
  expect(operations[1]?.checkResponse(200, {})).toMatchObject([{ keyword: 'required' }])
})
