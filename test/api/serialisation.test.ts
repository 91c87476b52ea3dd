import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/core/json.ts'
import { ask, errorOf, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { tempFile } from '../support/temp-folder.ts'

const integer = { type: 'integer' }
const integers = { type: 'array', items: integer }
const point = { type: 'object', required: ['x'], properties: { x: integer, y: integer } }
const nested = {
  type: 'object',
  properties: { a: { type: 'object', properties: { b: integer } }, ids: integers, on: { type: 'boolean' } },
}

/** A parameter `p`, what is sent of it in its place, and what is refused. */
type Row = readonly [parameter: JsonObject, right: readonly string[], wrong: readonly string[]]

const rows: Record<'path' | 'query' | 'header' | 'cookie', readonly Row[]> = {
  path: [
    [{ schema: integer }, ['5', '-5', '1.0', '1e2'], ['0x10', 'Infinity', '1.5', '+5', '05', '5.', '%205']],
    [{ schema: { type: 'number' } }, ['1.5', '-0.5e-3'], ['.5', 'NaN', '1e999', '1_000']],
    [{ schema: { type: 'boolean' } }, ['true', 'false'], ['True', '1', 'yes']],
    [{ schema: integers }, ['1', '1,2'], ['1,b', '1;2']],
    [{ schema: point }, ['x,1,y,2', 'y,2,x,1'], ['x,a', 'x=1', 'x,1,y', 'y,2']],
    [{ explode: true, schema: point }, ['x=1,y=2'], ['x,1,y,2', 'x=a', 'y=2']],
    [{ style: 'label', schema: integer }, ['.5'], ['5', '.b']],
    [{ style: 'label', schema: integers }, ['.1,2'], ['1,2', '.1.2']],
    [{ style: 'label', explode: true, schema: integers }, ['.1.2'], ['1.2', '.1,2']],
    [{ style: 'label', schema: point }, ['.x,1,y,2'], ['x,1', '.x=1']],
    [{ style: 'label', explode: true, schema: point }, ['.x=1.y=2'], ['.x,1', '.x=a']],
    [{ style: 'matrix', schema: integer }, [';p=5'], ['5', ';q=5', ';p=b']],
    [{ style: 'matrix', schema: integers }, [';p=1,2'], ['1,2', ';p=1;p=2', ';p=a']],
    [{ style: 'matrix', explode: true, schema: integers }, [';p=1;p=2'], [';p=1,2', '1;2']],
    [{ style: 'matrix', schema: point }, [';p=x,1,y,2'], [';x=1', ';p=x,a']],
    [{ style: 'matrix', explode: true, schema: point }, [';x=1;y=2'], [';p=x,1', ';x=a', ';y=2']],
  ],
  query: [
    [{ schema: integer }, ['p=5'], ['p=0x10', 'p=', 'p=1&p=2', 'p=Infinity', 'p=%205']],
    [{ schema: { type: 'boolean' } }, ['p=true'], ['p=1', 'p']],
    [{ schema: { type: 'string' } }, ['p=5', 'p=true', 'p='], ['p=1&p=2']],
    [{ schema: { enum: [1, 2] } }, ['p=1'], ['p=3', 'p=a']],
    [{ schema: { type: ['integer', 'null'] } }, ['p=1', 'p='], ['p=a']],
    [{ schema: { anyOf: [integer, { type: 'string', pattern: '^a' }] } }, ['p=1', 'p=ab'], ['p=b']],
    [{ schema: { anyOf: [{ type: 'integer', maximum: 5 }, { type: 'string' }] } }, ['p=5', 'p=6'], []],
    [{ schema: { $ref: '#/components/schemas/Page' } }, ['p=1'], ['p=0', 'p=a']],
    [{ schema: integers }, ['p=1', 'p=1&p=2', 'p[]=1&p[]=2', 'p[]=1', 'p[0]=1&p[1]=2'], ['p=1,2', 'p=a', 'p[]=a']],
    [{ explode: false, schema: integers }, ['p=1', 'p=1,2', 'p=1%2C2'], ['p=1,a', 'p=1|2']],
    [{ schema: { anyOf: [integers, { type: 'null' }] } }, ['p=1', 'p=1&p=2'], ['p=a']],
    [{ schema: { allOf: [{ $ref: '#/components/schemas/Ids' }] } }, ['p=1', 'p=1&p=2'], ['p=a', 'p=1&p=2&p=3&p=4']],
    [{ schema: { oneOf: [integers, { type: 'boolean' }] } }, ['p=1', 'p=1&p=2', 'p=true'], ['p=a']],
    [{ style: 'spaceDelimited', explode: false, schema: integers }, ['p=1%202', 'p=1+2', 'p=1'], ['p=1,2']],
    [{ style: 'pipeDelimited', explode: false, schema: integers }, ['p=1|2', 'p=1%7C2', 'p=1'], ['p=1,2']],
    [{ style: 'pipeDelimited', explode: false, schema: point }, ['p=x|1|y|2'], ['p=x|a', 'p=x,1']],
    [{ style: 'spaceDelimited', explode: false, schema: point }, ['p=x%201'], ['p=x', 'p=y%201']],
    [{ schema: point }, ['x=1', 'x=1&y=2'], ['x=a', 'y=1', 'p=x,1']],
    [{ explode: false, schema: point }, ['p=x,1,y,2'], ['p=x,a', 'p=x', 'x=1']],
    [{ schema: { type: 'object', additionalProperties: integer } }, ['any=1&other=2'], ['any=a']],
    [{ style: 'deepObject', explode: true, schema: point }, ['p[x]=1&p[y]=2'], ['p[x]=a', 'p[y]=1', 'x=1', 'p=x,1']],
    [
      { style: 'deepObject', explode: true, schema: nested },
      ['p[a][b]=1&p[on]=true', 'p[ids]=1', 'p[ids]=1&p[ids]=2', 'p[ids][]=1&p[ids][]=2', 'p[ids][0]=1'],
      ['p[a][b]=c', 'p[ids]=a', 'p[ids][]=a', 'p[a]=1', 'p[on]=1'],
    ],
    [{ style: 'deepObject', explode: true, schema: integers }, ['p[]=1', 'p[0]=1&p[1]=2', 'p=1'], ['p[]=a']],
    [
      { style: 'deepObject', explode: true, schema: { $ref: '#/components/schemas/Filter' } },
      ['p[size]=1', 'p[not][size]=2', 'p[not][not][size]=3'],
      ['p[size]=a', 'p[not][not][size]=a'],
    ],
    [{ allowEmptyValue: true, schema: integer }, ['p=', 'p', 'p=1'], ['p=a']],
    [{ allowReserved: true, schema: { type: 'string', pattern: '^/a:b' } }, ['p=/a:b?c'], ['p=a']],
    [{ content: { 'application/json': { schema: point } } }, ['p={"x":1}'], ['p={"x":"1"}', 'p={', 'p={}']],
    [{ content: { 'text/plain': { schema: { type: 'string', maxLength: 3 } } } }, ['p=abc'], ['p=abcd']],
  ],
  header: [
    [{ schema: integer }, ['5'], ['0x10', 'a']],
    [{ schema: integers }, ['1', '1,2', '1, 2'], ['1;2', 'a']],
    [{ schema: point }, ['x,1,y,2', 'x, 1'], ['x=1', 'x']],
    [{ explode: true, schema: point }, ['x=1,y=2', 'x=1, y=2'], ['x,1', 'x=a']],
    [{ content: { 'application/json': { schema: point } } }, ['{"x":1}'], ['{', '{}']],
  ],
  cookie: [
    [{ schema: integer }, ['p=5', 'q=1; p=5'], ['p=a', 'q=1']],
    [{ schema: { type: 'string', pattern: '^a\\+b/c$' } }, ['p=a+b/c', 'p=a%2Bb%2Fc'], ['p=a b/c']],
    [{ explode: false, schema: integers }, ['p=1,2'], ['p=a']],
    [{ explode: false, schema: point }, ['p=x,1,y,2'], ['p=x,a']],
    [{ schema: point }, ['x=1; y=2'], ['x=a']],
  ],
}

const cases = Object.entries(rows).flatMap(([place, list]) =>
  list.map(([parameter, right, wrong], index) => ({ place, parameter, right, wrong, path: `/${place}${index}` })),
)

/** Returns the path of the parameter with a schema. */
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

const form = (encoding: JsonObject) => ({
  post: {
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema: formSchema, encoding } } },
    responses,
  },
})

const paths: Json = Object.fromEntries([
  ...cases.map(({ place, parameter, path }) => [
    place === 'path' ? `${path}/{p}` : path,
    { get: { parameters: [{ name: 'p', in: place, required: true, ...parameter }], responses } },
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
  [
    '/styled',
    form({
      address: { style: 'deepObject', explode: true },
      items: { style: 'deepObject', explode: true },
      expand: { style: 'deepObject', explode: true },
      ids: { style: 'pipeDelimited', explode: false },
    }),
  ],
])

const document = {
  openapi: '3.1.0',
  info: { title: 'Styles', version: '1' },
  servers: [{ url: '/v1' }],
  paths,
  components: {
    schemas: {
      Page: { allOf: [integer, { minimum: 1 }] },
      Ids: { allOf: [integers, { maxItems: 3 }] },
      Filter: { type: 'object', properties: { size: integer, not: { $ref: '#/components/schemas/Filter' } } },
    },
  },
}

const own = sharedSimulator(async (onFinished) => ({
  contract: await tempFile(JSON.stringify(document), 'styles.json', onFinished),
}))

const send = (place: string, path: string, text: string) => {
  if (place === 'path') return ask(own(), `/v1${path}/${text}`)
  if (place === 'query') return ask(own(), `/v1${path}?${text}`)
  return ask(own(), `/v1${path}`, { headers: { [place === 'header' ? 'p' : 'cookie']: text } })
}

describe('a parameter is read in its style', () => {
  test.each(cases.map((one) => [one.place, JSON.stringify(one.parameter), one] as const))(
    'in %s: %s',
    async (_place, _parameter, { place, path, right, wrong }) => {
      const outcomes = async (texts: readonly string[]) =>
        Promise.all(texts.map(async (text) => `${text} ${(await send(place, path, text)).status}`))
      expect(await outcomes(right)).toEqual(right.map((text) => `${text} 204`))
      expect(await outcomes(wrong)).toEqual(wrong.map((text) => `${text} 400`))
    },
  )

  test('a text in another style is refused with the documented one', async () => {
    const said = /path\/p: must be in the style "matrix" of a path parameter, exploded/
    const [wrong] = cases.filter(
      ({ place, parameter: { style, explode } }) => place === 'path' && style === 'matrix' && explode,
    )
    expectRefusal(await send('path', wrong?.path ?? '', '1;2'), 400, said)
  })

  test('a cookie is named in its refusal, without its value', async () => {
    const error = errorOf(await send('cookie', '/cookie0', 'p=my-secret'))
    expect(error).toBe('Invalid request: header/cookie/p: must be an integer; got [redacted].')
  })
})

describe('names of query parameters', () => {
  test.each([
    ['page[size]=1&ids[]=1&ids[]=2&r=3', 204, []],
    ['page[size]=a', 400, []],
    ['ids[]=a', 400, []],
    ['page[sise]=1&rr=2', 204, ['/page[sise]', '/rr']],
  ] as const)('are those of the document, also with brackets: %s', async (query, status, advice) => {
    const response = await ask(own(), `/v1/pages?${query}`)
    expect(response.status).toBe(status)
    for (const pointer of advice) expect(response.headers.get('x-sim-advice')).toContain(pointer)
    if (advice.length === 0) expect(response.headers.get('x-sim-advice')).toBeNull()
  })

  test('nested without end are not read, and do not exceed the stack', async () => {
    expect(await ask(own(), `/v1${pathOf(nested)}?${`p${'[a]'.repeat(3000)}=1`}`)).toMatchObject({ status: 400 })
  })

  test('that every object inherits, such as constructor, are ordinary', async () => {
    expect(await ask(own(), `/v1${pathOf(nested)}?p[__proto__][b]=1&p[constructor]=2`)).toMatchObject({ status: 204 })
  })
})

describe('a form', () => {
  const post = (path: string, body: string) =>
    ask(own(), `/v1${path}`, { body, contentType: 'application/x-www-form-urlencoded' })

  test.each([
    ['/plain', 'name=a&amount=5&ids=1&ids=2&expand=ab&address={"zip":1}&items=[{"price":1}]&other=1', 204],
    ['/plain', 'name=a&ids[]=1&address[zip]=1&address[lines][]=a&items[0][price]=1&items={"price":1}', 204],
    ['/plain', 'name=a&either=', 204],
    ['/plain', 'name=a&either=1', 204],
    ['/plain', 'amount=5', 400],
    ['/plain', 'name=a&amount=0x10', 400],
    ['/plain', 'name=a&address[zip]=a', 400],
    ['/plain', 'name=a&address=1', 400],
    ['/plain', 'name=a&items[0][cost]=1', 400],
    ['/styled', 'name=a&ids=1|2&expand[]=ab&expand[]=cd&address[zip]=1&items[0][price]=1', 204],
    ['/styled', 'name=a&expand[0]=ab', 204],
    ['/styled', 'name=a&expand[0]=a', 400],
    ['/styled', 'name=a&ids=1,2', 400],
    ['/styled', 'name=a&address[zip]=a', 400],
    ['/styled', 'name=a&items[0][price]=a', 400],
    ['/styled', 'name=a&items[0][price]=1&items[1][cost]=1', 400],
  ])('of %s is read by its encoding: %s', async (path, body, status) => {
    const response = await post(path, body)
    expect([response.status, response.text]).toEqual([status, expect.anything()])
  })
})
