import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { ask, event } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { readAllEvents } from '../support/stored-records.ts'
import { tempFile } from '../support/temp-folder.ts'

const $ref = '#/components/schemas/User'
const object = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }
const responses = { 204: { description: 'Fine.' } }

const post = (content: JsonObject, more: JsonObject = {}) => ({
  post: { requestBody: { required: true, content }, responses, ...more },
})

const user: JsonObject = {
  type: 'object',
  required: ['id', 'name', 'password', 'friends'],
  properties: {
    id: { type: 'string', readOnly: true },
    name: { type: 'string' },
    password: { type: 'string', writeOnly: true },
    friends: { type: 'array', items: { $ref } },
    created: { $ref: '#/components/schemas/Created' },
  },
}

const media = { 'application/json': { schema: { $ref }, example: { id: '1', name: 'a', friends: [] } } }

const document = {
  openapi: '3.1.0',
  info: { title: 'Bodies', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/types': post({
      'application/json; charset=utf-8': { schema: object },
      'application/*+json': { schema: object },
      'application/xml': { schema: object },
      'application/x-ndjson': { schema: object },
      'multipart/form-data': { schema: object },
      'text/plain': { schema: { type: 'string', maxLength: 3 } },
      'image/*': {},
    }),
    '/any': post({ '*/*': { schema: object } }),
    '/open': post({}),
    '/users': {
      post: { requestBody: { content: { 'application/json': { schema: { $ref } } } }, responses },
      get: { responses: { 200: { description: 'A user.', content: media } } },
    },
    '/composed': post({
      'application/json': { schema: { allOf: [{ $ref }, { required: ['id', 'created', 'more'] }] } },
    }),
  },
  components: {
    schemas: {
      User: user,
      Created: { type: 'object', required: ['at'], properties: { at: { $ref: '#/components/schemas/At' } } },
      At: { allOf: [{ type: 'string' }], readOnly: true },
    },
  },
}

const own = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(JSON.stringify(document), 'bodies.json', onFinished),
}))

describe('a body is checked by its media type', () => {
  test.each<[path: string, type: string | null, body: string, status: number]>([
    ['types', 'application/json', '{"a":1}', 204],
    ['types', 'application/json;charset=UTF-8', '{"a":1}', 204],
    ['types', 'application/json; charset=utf-16', '{"a":1}', 415],
    ['types', 'application/json', '{"a":"1"}', 400],
    ['types', 'application/vnd.a+json; v=1', '{"a":1}', 204],
    ['types', 'application/vnd.a+json', '{}', 400],
    ['types', 'application/xml', '<a>x</a>', 204],
    ['types', 'application/xml; charset=iso-8859-1', '<a>x</a>', 204],
    ['types', 'application/x-ndjson', '{"b":1}\n{"b":2}\n', 204],
    ['types', 'multipart/form-data; boundary=x', '--x--', 204],
    ['types', 'text/plain', 'abc', 204],
    ['types', 'text/plain', 'abcd', 400],
    ['types', 'image/png', 'anything', 204],
    ['types', 'text/csv', 'a', 415],
    ['any', 'application/json', '{"a":1}', 204],
    ['any', 'application/json', '{}', 400],
    ['any', 'text/csv', 'a', 204],
    ['open', 'text/csv', 'a', 204],
    ['open', 'application/json', '[]', 204],
  ])('/%s as %s: %s', async (path, contentType, body, status) => {
    expect(await ask(own(), `/v1/${path}`, { body, contentType })).toMatchObject({ status })
  })
})

describe('properties that only one side sends', () => {
  const send = (path: string, body: Json) => ask(own(), path, { body })

  test.each<[path: string, body: Json, status: number]>([
    ['/v1/users', { name: 'a', password: 'b', friends: [] }, 204],
    ['/v1/users', { id: '1', name: 'a', password: 'b', friends: [{ name: 'c', password: 'd', friends: [] }] }, 204],
    ['/v1/users', { name: 'a', password: 'b', friends: [], created: {} }, 204],
    ['/v1/users', { name: 'a', friends: [] }, 400],
    ['/v1/users', { password: 'b', friends: [] }, 400],
    ['/v1/users', { id: 1, name: 'a', password: 'b', friends: [] }, 400],
    ['/v1/composed', { name: 'a', password: 'b', friends: [], created: {}, more: 1 }, 204],
    ['/v1/composed', { name: 'a', password: 'b', friends: [], created: {} }, 400],
  ])('a request needs no readOnly property: %s %j', async (path, body, status) => {
    expect(await send(path, body)).toMatchObject({ status })
  })

  test('a response needs no writeOnly property', async () => {
    const { status, body } = await ask(own(), '/v1/users')
    expect([status, body]).toEqual([200, { id: '1', name: 'a', friends: [] }])
    expect(own().logged.filter(({ message }) => message.includes('does not fit'))).toEqual([])
  })
})

describe('an event of the shipped document', () => {
  const shipped = sharedSimulator()

  test.each([
    ['2026-01-15T12:00Z', '2026-01-15T12:00:00.000Z'],
    ['2026-01-15T12:00+01:00', '2026-01-15T11:00:00.000Z'],
    ['2026-01-15T12:00', '2026-01-15T12:00:00.000Z'],
  ])('may have a time without seconds: %s', async (eventAt, stored) => {
    expect(await ask(shipped(), '/v1/events', { body: event({ eventAt }) })).toMatchObject({ status: 201 })
    expect((await readAllEvents(shipped())).map(({ fields }) => fields.eventAt)).toContain(stored)
  })
})
