import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { call, errorOf, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { tempFile } from '../support/temp-folder.ts'

const integer = { type: 'integer' }
const integers = { type: 'array', items: integer }
const point = { type: 'object', required: ['x'], properties: { x: integer, y: integer } }
const nested = {
  type: 'object',
  properties: { a: { type: 'object', properties: { b: integer } }, ids: integers, on: { type: 'boolean' } },
}

/** A parameter `p`, with valid and invalid values as they appear in a request. */
type Row = readonly [parameter: JsonObject, valid: readonly string[], invalid: readonly string[]]

/** Cases by location, in addition to those in `test/service/contract/constructs`. */
const rows: Record<'path' | 'query' | 'header' | 'cookie', readonly Row[]> = {
  path: [
    [{ schema: integer }, ['5', '-5', '1.0', '1e2'], ['0x10', '1.5', '+5', '05', '5.', '%205']],
    [{ schema: { type: 'number' } }, ['1.5', '-0.5e-3'], ['.5', '1e999', '1_000']],
    [{ schema: point }, ['y,2,x,1'], ['x=1', 'x,1,y', 'y,2']],
    [{ explode: true, schema: point }, ['x=1,y=2'], ['x,1,y,2']],
    [{ style: 'label', schema: integers }, ['.1,2'], ['1,2', '.1.2']],
    [{ style: 'label', explode: true, schema: integers }, ['.1.2'], ['1.2', '.1,2']],
    [{ style: 'label', schema: point }, ['.x,1,y,2'], ['x,1', '.x=1']],
    [{ style: 'matrix', schema: integer }, [';p=5'], ['5', ';q=5']],
    [{ style: 'matrix', schema: integers }, [';p=1,2'], ['1,2', ';p=1;p=2']],
    [{ style: 'matrix', explode: true, schema: integers }, [';p=1;p=2'], [';p=1,2', '1;2']],
    [{ style: 'matrix', schema: point }, [';p=x,1,y,2'], [';x=1', ';p=x,a']],
    [{ style: 'matrix', explode: true, schema: point }, [';x=1;y=2'], [';p=x,1', ';y=2']],
  ],
  query: [
    [{ schema: { type: 'string' } }, ['p=5', 'p=true', 'p='], ['p=1&p=2']],
    [{ schema: { enum: [1, 2] } }, ['p=1'], ['p=3', 'p=a']],
    [{ schema: { type: ['integer', 'null'] } }, ['p=1', 'p='], ['p=a']],
    [{ schema: { anyOf: [integer, { type: 'string', pattern: '^a' }] } }, ['p=1', 'p=ab'], ['p=b']],
    [{ schema: { anyOf: [{ type: 'integer', maximum: 5 }, { type: 'string' }] } }, ['p=5', 'p=6'], []],
    [{ schema: integers }, ['p[]=1&p[]=2', 'p[]=1', 'p[0]=1&p[1]=2'], ['p[]=a']],
    [{ schema: { oneOf: [integers, { type: 'boolean' }] } }, ['p=1', 'p=1&p=2', 'p=true'], ['p=a']],
    [{ schema: { type: 'object', additionalProperties: integer } }, ['any=1&other=2'], ['any=a']],
    [{ style: 'deepObject', schema: nested }, ['p[a][b]=1&p[on]=true', 'p[ids][0]=1'], ['p[a]=1', 'p[ids][]=a']],
    [{ style: 'deepObject', explode: true, schema: integers }, ['p[]=1', 'p[0]=1&p[1]=2', 'p=1'], ['p[]=a']],
    [
      { style: 'deepObject', explode: true, schema: { $ref: '#/components/schemas/Filter' } },
      ['p[size]=1', 'p[not][size]=2', 'p[not][not][size]=3'],
      ['p[size]=a', 'p[not][not][size]=a'],
    ],
    [{ content: { 'text/plain': { schema: { type: 'string', maxLength: 3 } } } }, ['p=abc'], ['p=abcd']],
  ],
  header: [
    [{ explode: true, schema: point }, ['x=1,y=2', 'x=1, y=2'], ['x,1', 'x=a']],
    [{ content: { 'application/json': { schema: point } } }, ['{"x":1}'], ['{', '{}']],
  ],
  cookie: [
    [{ schema: integer }, ['p=5', 'q=1; p=5'], ['p=a', 'q=1']],
    [{ schema: { type: 'string', pattern: '^a\\+b/c$' } }, ['p=a+b/c', 'p=a%2Bb%2Fc'], ['p=a b/c']],
    [{ schema: point }, ['x=1; y=2'], ['x=a']],
  ],
}

const cases = Object.entries(rows).flatMap(([location, list]) =>
  list.map(([parameter, valid, invalid], n) => ({ location, parameter, valid, invalid, path: `/${location}${n}` })),
)

/** Returns the path whose parameter has this schema. */
const pathOf = (schema: JsonObject) => cases.find(({ parameter }) => parameter['schema'] === schema)?.path ?? ''

const responses = { 204: { description: 'Fine.' } }

const formSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    amount: integer,
    expand: { type: 'array', items: { type: 'string', minLength: 2 } },
    ids: integers,
    address: { type: 'object', properties: { zip: integer, lines: { type: 'array', items: { type: 'string' } } } },
    items: { type: 'array', items: { type: 'object', required: ['price'], properties: { price: integer } } },
    either: { anyOf: [{ type: 'string', enum: [''] }, integers] },
  },
}

const post = (content: JsonObject) => ({ post: { requestBody: { required: true, content }, responses } })

const form = (encoding: JsonObject) => post({ 'application/x-www-form-urlencoded': { schema: formSchema, encoding } })

const $ref = '#/components/schemas/User'

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

const userMedia = { 'application/json': { schema: { $ref }, example: { id: '1', name: 'a', friends: [] } } }

const paths: Json = Object.fromEntries([
  ...cases.map(({ location, parameter, path }) => [
    location === 'path' ? `${path}/{p}` : path,
    { get: { parameters: [{ name: 'p', in: location, required: true, ...parameter }], responses } },
  ]),
  [
    '/pages',
    {
      get: {
        parameters: [
          { name: 'page[size]', in: 'query', schema: integer },
          { name: 'ids[]', in: 'query', schema: integers },
          { name: 'rest', in: 'query', schema: { type: 'object', properties: { r: integer } } },
        ],
        responses,
      },
    },
  ],
  ['/plain', form({})],
  ['/types', post({ 'application/json; charset=utf-8': { schema: point }, 'application/xml': { schema: point } })],
  ['/any', post({ '*/*': { schema: point } })],
  ['/open', post({})],
  [
    '/users',
    {
      ...post({ 'application/json': { schema: { $ref } } }),
      get: { responses: { 200: { description: 'A user.', content: userMedia } } },
    },
  ],
  ['/all-of', post({ 'application/json': { schema: { allOf: [{ $ref }, { required: ['id', 'created', 'more'] }] } } })],
])

const document = {
  openapi: '3.1.0',
  info: { title: 'Styles', version: '1' },
  servers: [{ url: '/v1' }],
  paths,
  components: {
    schemas: {
      Filter: { type: 'object', properties: { size: integer, not: { $ref: '#/components/schemas/Filter' } } },
      User: user,
      Created: { type: 'object', required: ['at'], properties: { at: { $ref: '#/components/schemas/At' } } },
      At: { allOf: [{ type: 'string' }], readOnly: true },
    },
  },
}

const own = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(JSON.stringify(document), 'styles.json', onFinished),
}))

const send = (location: string, path: string, text: string) => {
  if (location === 'path') return call(own(), `/v1${path}/${text}`)
  if (location === 'query') return call(own(), `/v1${path}?${text}`)
  return call(own(), `/v1${path}`, { headers: { [location === 'header' ? 'p' : 'cookie']: text } })
}

describe('a parameter', () => {
  test.each(cases.map((one) => [one.location, JSON.stringify(one.parameter), one] as const))(
    'in the %s accepts only valid values: %s',
    async (_location, _parameter, { location, path, valid, invalid }) => {
      const outcomes = async (texts: readonly string[]) =>
        Promise.all(texts.map(async (text) => `${text} ${(await send(location, path, text)).status}`))
      expect(await outcomes(valid)).toEqual(valid.map((text) => `${text} 204`))
      expect(await outcomes(invalid)).toEqual(invalid.map((text) => `${text} 400`))
    },
  )

  test('in the path must have the documented style, which is named in the refusal', async () => {
    const reason = /path\/p: must use the "matrix" style for path parameters, with explode: true/
    const [invalid] = cases.filter(
      ({ location, parameter: { style, explode } }) => location === 'path' && style === 'matrix' && explode,
    )
    expectRefusal(await send('path', invalid?.path ?? '', '1;2'), 400, reason)
  })

  test('in a cookie is named in the refusal, but its value is not shown', async () => {
    const error = errorOf(await send('cookie', '/cookie0', 'p=my-secret'))
    expect(error).toBe('Invalid request: header/cookie/p: must be an integer; got [redacted].')
  })
})

describe('names of query parameters', () => {
  test.each([
    ['page[size]=1&ids[]=1&ids[]=2&r=3', 204, []],
    ['page[size]=a', 400, []],
    ['page[sise]=1&rr=2', 204, ['/page[sise]', '/rr']],
  ] as const)('are compared with the documented names, including any brackets: %s', async (query, status, advice) => {
    const response = await call(own(), `/v1/pages?${query}`)
    expect(response.status).toBe(status)
    for (const pointer of advice) expect(response.headers.get('x-sim-advice')).toContain(pointer)
    if (advice.length === 0) expect(response.headers.get('x-sim-advice')).toBeNull()
  })

  test('with very deep nesting are not read, and do not overflow the stack', async () => {
    expect(await call(own(), `/v1${pathOf(nested)}?${`p${'[a]'.repeat(3000)}=1`}`)).toMatchObject({ status: 400 })
  })

  test('that are also names of inherited properties, such as constructor, are treated like any other', async () => {
    expect(await call(own(), `/v1${pathOf(nested)}?p[__proto__][b]=1&p[constructor]=2`)).toMatchObject({ status: 204 })
  })
})

test.each([
  ['/plain', 'name=a&amount=5&ids=1&ids=2&expand=ab&address={"zip":1}&items=[{"price":1}]&other=1', 204],
  ['/plain', 'name=a&ids[]=1&address[zip]=1&address[lines][]=a&items[0][price]=1&items={"price":1}', 204],
  ['/plain', 'name=a&either=', 204],
  ['/plain', 'name=a&either=1', 204],
  ['/plain', 'name=a&address=1', 400],
  ['/plain', 'name=a&items[0][cost]=1', 400],
  ['/plain', 'name=a&items[0][price]=1&items[1][cost]=1', 400],
])('a form without a documented encoding is still checked: %s with %s', async (path, body, status) => {
  const response = await call(own(), `/v1${path}`, { body, contentType: 'application/x-www-form-urlencoded' })
  expect([response.status, response.text]).toEqual([status, expect.anything()])
})

test.each<[path: string, type: string, body: string, status: number]>([
  ['types', 'application/json;charset=UTF-8', '{"x":1}', 204],
  ['types', 'application/json; charset=utf-16', '{"x":1}', 415],
  ['types', 'application/json', '{"x":"1"}', 400],
  ['types', 'application/xml; charset=iso-8859-1', '<a>x</a>', 204],
  ['any', 'application/json', '{}', 400],
  ['any', 'text/csv', 'a', 204],
  ['open', 'text/csv', 'a', 204],
])('a body is checked according to its content type: /%s as %s with %s', async (path, contentType, body, status) => {
  expect(await call(own(), `/v1/${path}`, { body, contentType })).toMatchObject({ status })
})

test.each<[path: string, body: Json, status: number]>([
  ['/v1/users', { id: '1', name: 'a', password: 'b', friends: [{ name: 'c', password: 'd', friends: [] }] }, 204],
  ['/v1/users', { name: 'a', password: 'b', friends: [], created: {} }, 204],
  ['/v1/users', { id: 1, name: 'a', password: 'b', friends: [] }, 400],
  ['/v1/all-of', { name: 'a', password: 'b', friends: [], created: {}, more: 1 }, 204],
  ['/v1/all-of', { name: 'a', password: 'b', friends: [], created: {} }, 400],
])('readOnly properties at any depth are optional in requests, but are checked: %s %j', async (path, body, status) => {
  expect(await call(own(), path, { body })).toMatchObject({ status })
})

test('writeOnly properties are optional in a response', async () => {
  const { status, body } = await call(own(), '/v1/users')
  expect([status, body]).toEqual([200, { id: '1', name: 'a', friends: [] }])
  expect(own().logged.filter(({ message }) => message.includes('does not match the schema'))).toEqual([])
})
