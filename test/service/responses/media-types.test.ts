import { expect, test } from 'vitest'
import { ask } from '../../support/client.ts'
import { sharedSimulator } from '../../support/shared.ts'
import { tempFile } from '../../support/temp-folder.ts'

const xml = '<?xml version="1.0" encoding="UTF-8"?>\n'
const pet =
  `${xml}<animal xmlns="urn:a" id="0"><name>string</name><p:tag xmlns:p="urn:p">string</p:tag>` +
  '<photos><photo>string</photo></photos><colours>string</colours></animal>'
const [json, stream, text] = ['application/json', 'text/event-stream', 'text/plain']
const both = `${json}: { example: [] }, text/csv: { example: a }, ${text}: { example: b }`
const item = '{ properties: { event: { const: add }, data: { type: string } } }'
const member = '{ type: object, properties: { a: { type: integer } } }'

/** The documented content, the media type and the body that are sent, and `Accept`. */
const bodies: readonly (readonly [content: string, type: string, body: string, accept?: string])[] = [
  ["application/xml: { schema: { $ref: '#/components/schemas/Pet' } }", 'application/xml', pet],
  [
    'application/problem+xml: { example: { title: "a < b", codes: [1, 2] } }',
    'application/problem+xml',
    `${xml}<root><title>a &#60; b</title><codes>1</codes><codes>2</codes></root>`,
  ],
  [`${stream}: { schema: ${member} }`, stream, 'data: {"a":0}\n\n'],
  [`${stream}: { itemSchema: ${item} }`, stream, 'event: add\ndata: string\n\n'],
  ['application/x-ndjson: { schema: { type: array, minItems: 2, items: {} } }', 'application/x-ndjson', 'null\nnull\n'],
  ['text/csv: {}', 'text/csv', 'string'],
  [`${text}: { example: 5 }`, text, '5'],
  ['text/html: { schema: { type: object } }', 'text/html', 'string'],
  [`application/x-www-form-urlencoded: { schema: ${member} }`, 'application/x-www-form-urlencoded', 'a=0'],
  ['application/yaml: { example: { a: 1 } }', 'application/yaml', '{"a":1}'],
  ["'image/*': {}", 'image/png', ''],
  ["'*/*': { schema: { const: 1 } }", json, '1'],
  ['application/problem+json: { schema: { const: 1 } }', 'application/problem+json', '1'],
  [`${text}: {}, text/csv: { example: a }`, 'text/csv', 'a'],
  [both, 'text/csv', 'a', `${json};q=0.1, text/*;q=0.9, image/png`],
  [`${json}: { example: [] }`, json, '[]', 'text/html'],
  [`${json}: { examples: { a: { dataValue: { a: 1 } } } }`, json, '{"a":1}'],
  [`${json}: { examples: { a: { serializedValue: '{"a": 1}' } } }`, json, '{"a":1}'],
  ['text/csv: { examples: { a: { serializedValue: "a,b" } } }', 'text/csv', 'a,b'],
  [`${json}: { example: { $ref: './a.json' } }`, json, '{"$ref":"./a.json"}'],
]

const responding = (members: string) => `{ get: { responses: { '200': { description: d, ${members} } } } }`
const paths = bodies.map(([content], index) => `  /bodies/${index}: ${responding(`content: { ${content} }`)}\n`)
const headers = [
  'X-List: { schema: { type: array, items: { type: integer }, minItems: 2 } }, X-Nothing: { schema: false }',
  'X-Object: { schema: { type: object }, example: { a: 1, b: 2 } }, Content-Type: { schema: { const: text/html } }',
  'X-Exploded: { explode: true, schema: { type: object }, example: { a: 1, b: 2 } }',
  'X-Content: { content: { application/json: { schema: { properties: { a: { const: 1 } } } } } }',
].join(', ')
const document = `openapi: 3.2.0
info: { title: Types, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /headers: ${responding(`headers: { ${headers} }, content: { application/json: { example: 1 } }`)}
${paths.join('')}components:
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

test.each(bodies.map(([content, ...sent], index) => [content, index, ...sent] as const))(
  'a body is of its documented type: %s',
  async (_content, index, type, body, accept) => {
    const { status, headers, text } = await ask(own(), `/v1/bodies/${index}`, accept ? { headers: { accept } } : {})
    expect([status, headers.get('content-type')?.split(';')[0], text]).toEqual([200, type, body])
  },
)

test('headers are sent as documented, from an example, a schema or content', async () => {
  const { headers } = await ask(own(), '/v1/headers')
  const named = ['x-list', 'x-object', 'x-exploded', 'x-content', 'x-nothing', 'content-type']
  expect(named.map((name) => headers.get(name))).toEqual([
    ...['0,0', 'a,1,b,2', 'a=1,b=2', '{"a":1}', null],
    'application/json; charset=utf-8',
  ])
})
