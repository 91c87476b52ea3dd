import { expect, test } from 'vitest'
import { ask } from '../../support/client.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { tempFile } from '../../support/temp-folder.ts'

const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Bodies by the content of their response: `Accept`, status, media type and text. */
const bodies: readonly (readonly [
  name: string,
  content: string,
  type: string | null,
  body: string,
  accept?: string,
])[] = [
  [
    'XML from a schema',
    "{ application/xml: { schema: { $ref: '#/components/schemas/Pet' } } }",
    'application/xml',
    `${xml}<animal xmlns="urn:a" id="0"><name>string</name><p:tag xmlns:p="urn:p">string</p:tag><photos>` +
      '<photo>string</photo></photos><colours>string</colours></animal>',
  ],
  [
    'XML from an example',
    '{ application/problem+xml: { example: { title: "a < b", codes: [1, 2] } } }',
    'application/problem+xml',
    `${xml}<root><title>a &#60; b</title><codes>1</codes><codes>2</codes></root>`,
  ],
  ['XML that is text', '{ text/xml: { example: <pet/> } }', 'text/xml; charset=utf-8', '<pet/>'],
  [
    'an event stream',
    '{ text/event-stream: { schema: { type: object, properties: { a: { type: integer } } } } }',
    'text/event-stream; charset=utf-8',
    'data: {"a":0}\n\n',
  ],
  [
    'an event stream of 3.2',
    '{ text/event-stream: { itemSchema: { properties: { event: { const: add }, data: { type: string } } } } }',
    'text/event-stream; charset=utf-8',
    'event: add\ndata: string\n\n',
  ],
  [
    'an event stream that is text',
    '{ text/event-stream: { schema: { type: object }, example: "data: 1\\n\\n" } }',
    'text/event-stream; charset=utf-8',
    'data: 1\n\n',
  ],
  [
    'JSON lines',
    '{ application/x-ndjson: { schema: { type: array, minItems: 2, items: { type: integer } } } }',
    'application/x-ndjson',
    '0\n0\n',
  ],
  ['text', '{ text/plain: { schema: { type: string, pattern: "^v\\\\d$" } } }', 'text/plain; charset=utf-8', 'v'],
  ['text without a schema', '{ text/csv: {} }', 'text/csv; charset=utf-8', 'string'],
  ['a number as text', '{ text/plain: { example: 5 } }', 'text/plain; charset=utf-8', '5'],
  ['text of an object', '{ text/html: { schema: { type: object } } }', 'text/html; charset=utf-8', 'string'],
  [
    'a form',
    '{ application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string } } } } }',
    'application/x-www-form-urlencoded',
    'a=string',
  ],
  ['YAML', '{ application/yaml: { example: { a: 1 } } }', 'application/yaml', '{"a":1}'],
  ['audio', '{ audio/mpeg: { schema: { type: string, format: binary } } }', 'audio/mpeg', ''],
  ['an image of any type', "{ 'image/*': {} }", 'image/png', ''],
  ['bytes', '{ application/octet-stream: { schema: { type: string } } }', 'application/octet-stream', ''],
  ['any type', "{ '*/*': { schema: { const: 1 } } }", 'application/json; charset=utf-8', '1'],
  ['JSON of another name', '{ application/problem+json: { schema: { const: 1 } } }', 'application/problem+json', '1'],
  [
    'JSON first',
    '{ text/plain: { example: a }, application/json: { example: [] } }',
    'application/json; charset=utf-8',
    '[]',
  ],
  ['then what has an example', '{ text/plain: {}, text/csv: { example: a } }', 'text/csv; charset=utf-8', 'a'],
  [
    'what Accept prefers',
    '{ application/json: { example: [] }, text/csv: { example: a }, text/plain: { example: b } }',
    'text/csv; charset=utf-8',
    'a',
    'application/json;q=0.1, text/*;q=0.9, image/png',
  ],
  [
    'what is documented, though Accept has another',
    '{ application/json: { example: [] } }',
    'application/json; charset=utf-8',
    '[]',
    'text/html',
  ],
  [
    'dataValue',
    '{ application/json: { examples: { a: { dataValue: { a: 1 } } } } }',
    'application/json; charset=utf-8',
    '{"a":1}',
  ],
  [
    'serializedValue',
    '{ application/json: { examples: { a: { serializedValue: \'{"a": 1}\' } } } }',
    'application/json; charset=utf-8',
    '{"a":1}',
  ],
  [
    'serializedValue of text',
    '{ text/csv: { examples: { a: { serializedValue: "a,b" } } } }',
    'text/csv; charset=utf-8',
    'a,b',
  ],
  [
    'externalValue, which is ignored',
    '{ application/json: { schema: { const: 1 }, examples: { a: { externalValue: ./a.json } } } }',
    'application/json; charset=utf-8',
    '1',
  ],
  [
    'an example that breaks nothing but has a reference as data',
    "{ application/json: { example: { $ref: './a.json' } } }",
    'application/json; charset=utf-8',
    '{"$ref":"./a.json"}',
  ],
]

/** Statuses and bodies by the documented responses. */
const statuses: readonly (readonly [name: string, responses: string, status: number, text: string])[] = [
  ['a range', '{ 2XX: { description: d, content: { application/json: { schema: { const: 1 } } } } }', 200, '1'],
  ['the lowest 2xx', "{ '500': { description: d }, '202': { description: d }, '201': { description: d } }", 201, ''],
  ['204', "{ '204': { description: d, content: { application/json: { example: 1 } } } }", 204, ''],
  ['205', "{ '205': { description: d, content: { application/json: { example: 1 } } } }", 205, ''],
  ['links', "{ '200': { description: d, links: { next: { operationId: get0 } } } }", 200, ''],
]

const responding = (members: string) => `responses: { '200': { description: d, ${members} } }`
const saying = (text: string) => responding(`content: { text/plain: { example: ${text} } }`)
const withHeader = (value: string) => responding(`headers: { X-Method: { schema: {}, example: ${value} } }`)
const methods = ['head', 'options', 'trace', 'put', 'patch'] as const

const paths = [
  ...bodies.map(
    ([, content], index) =>
      `  /bodies/${index}: { get: { operationId: get${index}, ${responding(`content: ${content}`)} } }`,
  ),
  ...statuses.map(([, responses], index) => `  /statuses/${index}: { get: { responses: ${responses} } }`),
].join('\n')

const document = `openapi: 3.2.0
info: { title: Types, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
${paths}
  /jobs/{id}:cancel: { post: { operationId: cancel, ${saying('cancelled')} } }
  /jobs/{id}: { post: { operationId: start, ${saying('started')} } }
  /jobs/latest: { post: { operationId: latest, ${saying('latest')} } }
  /a%20b/{name}%21: { get: { operationId: space, ${saying('space')} } }
  /a:b%2Fc/é: { get: { operationId: slash, ${saying('slash')} } }
  /methods: { ${methods.map((method) => `${method}: { ${withHeader(method)} }`).join(', ')} }
  /headers:
    get:
      responses:
        '200':
          description: d
          headers:
            X-Example: { schema: { type: integer }, example: 7 }
            X-Schema: { schema: { type: string, pattern: '^[a]$' } }
            X-List: { schema: { type: array, items: { type: integer }, minItems: 2 } }
            X-Object: { schema: { type: object }, example: { a: 1, b: 2 } }
            X-Exploded: { explode: true, schema: { type: object }, example: { a: 1, b: 2 } }
            X-Content: { content: { application/json: { schema: { type: object, properties: { a: { const: 1 } } } } } }
            X-Nothing: { schema: false }
            Content-Type: { schema: { const: text/html } }
          content: { application/json: { example: 1 } }
components:
  schemas:
    Pet:
      type: object
      xml: { name: animal, namespace: 'urn:a' }
      properties:
        id: { type: integer, xml: { attribute: true } }
        name: { type: string }
        tag: { type: string, xml: { prefix: p, namespace: 'urn:p' } }
        photoUrls: { type: array, xml: { name: photos, wrapped: true }, items: { type: string, xml: { name: photo } } }
        colours: { type: array, items: { type: string } }
`
const own = sharedSimulator(async (onFinished) => ({ contract: await tempFile(document, 'types.yaml', onFinished) }))

test.each(bodies.map(([name, , type, body, accept], index) => [name, index, type, body, accept] as const))(
  'a body is of its documented type: %s',
  async (_name, index, type, body, accept) => {
    const { status, headers, text } = await ask(own(), `/v1/bodies/${index}`, accept ? { headers: { accept } } : {})
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(body === 'v' ? text.slice(0, 1) : text).toBe(body)
  },
)

test.each(statuses.map(([name, , status, text], index) => [name, index, status, text] as const))(
  'the status and body are as documented: %s',
  async (_name, index, status, text) => {
    expect(await ask(own(), `/v1/statuses/${index}`)).toMatchObject({ status, text })
  },
)

test.each([
  ['POST', '/jobs/7:cancel', 'cancelled'],
  ['POST', '/jobs/7', 'started'],
  ['POST', '/jobs/7%3Acancel', 'cancelled'],
  ['POST', '/jobs/latest', 'latest'],
  ['GET', '/a%20b/x!', 'space'],
  ['GET', '/a%20b/x%21', 'space'],
  ['GET', '/a:b%2Fc/%C3%A9', 'slash'],
  ['GET', '/a%3Ab%2Fc/%C3%A9', 'slash'],
])('the operation that matches responds: %s %s', async (method, path, text) => {
  expect(await ask(own(), `/v1${path}`, { method })).toMatchObject({ status: 200, text })
})

test.each(methods.filter((method) => method !== 'trace'))('the method %s responds as documented', async (method) => {
  const { status, headers } = await ask(own(), '/v1/methods', { method: method.toUpperCase() })
  expect([status, headers.get('x-method')]).toEqual([200, method])
})

test('headers are sent as documented, from an example, a schema or content', async () => {
  const { headers } = await ask(own(), '/v1/headers')
  const named = ['example', 'schema', 'list', 'object', 'exploded', 'content', 'nothing']
  expect(named.map((name) => headers.get(`x-${name}`))).toEqual([
    '7',
    'a',
    '0,0',
    'a,1,b,2',
    'a=1,b=2',
    '{"a":1}',
    null,
  ])
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
})
