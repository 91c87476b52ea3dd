import { expect, test } from 'vitest'
import { contractOf, findingsOf, operationOf, SMALL } from '../documents.ts'

const new32 = SMALL.replace('openapi: 3.1.0', 'openapi: 3.2.0')

test('a 3.2 document that uses nothing new is served as a 3.1 document', async () => {
  expect(await findingsOf(new32)).toEqual([])
  const operation = operationOf(await contractOf(new32), 'listThings')
  expect(operation.checkResponse(200, {})).toMatchObject([{ pointer: '/name', keyword: 'required' }])
})

test('a fault of a 3.2 document names its version', async () => {
  const text = new32.replace('          description: All things\n', '')
  // 3.2 needs no description of a response.
  expect(await findingsOf(text)).toEqual([])
  expect(await findingsOf(new32.replace(', version: 1.0.0', ''))).toEqual([
    '2:1 error is not valid OpenAPI 3.2: /info/version is required',
  ])
})

/** Inserts lines before the first line that contains a text. */
const before = (text: string, lines: string) => new32.replace(text, `${lines}${text}`)
const content = '            application/json:\n              schema: { $ref'

test.each<[part: string, text: string, finding: string]>([
  ['$self', before('info:', '$self: https://api.test/openapi\n'), '2:1 info "$self" is new'],
  ['a summary of a tag', before('paths:', 'tags: [{ name: a, summary: b }]\n'), '4:19 info "summary" is new'],
  [
    'a parent of a tag',
    before('paths:', 'tags: [{ name: a }, { name: b, parent: a }]\n'),
    '4:32 info "parent" is new',
  ],
  ['a kind of a tag', before('paths:', 'tags: [{ name: a, kind: nav }]\n'), '4:19 info "kind" is new'],
  ['a name of a server', new32.replace('/v1 }', '/v1, name: main }'), '3:39 info "name" is new'],
  [
    'the method query',
    before('    get:', '    query: { responses: { "200": { description: Ok. } } }\n'),
    '6:5 warning "query" is new in OpenAPI 3.2, and is not served: a request with such a method is refused',
  ],
  [
    'further methods',
    before(
      '    get:',
      '    additionalOperations: { LINK: { responses: { "200": { description: Ok. } } } }\n',
    ),
    '6:5 warning "additionalOperations" is new',
  ],
  [
    'a querystring',
    before(
      '      responses:',
      '      parameters: [{ name: q, in: querystring, content: { application/json: { schema: {} } } }]\n',
    ),
    '8:31 warning "in" is "querystring"',
  ],
  [
    'the schema of an item',
    before(content, '            application/jsonl: { itemSchema: { type: object } }\n'),
    '12:34 warning "itemSchema" is new',
  ],
  [
    'the schema of a sequence',
    before(content, '            text/event-stream: { schema: { type: array } }\n'),
    '12:34 warning "schema" of a sequence',
  ],
  [
    'an encoding by position',
    before(content, '            multipart/mixed: { prefixEncoding: [] }\n'),
    '12:32 info "prefixEncoding" is new',
  ],
  [
    'a reference to a media type',
    `${before(content, '            application/xml: { $ref: "#/components/mediaTypes/X" }\n')}  mediaTypes: { X: {} }\n`,
    '12:32 error "$ref" cannot be followed: references to media types (OpenAPI 3.2) are not supported. Write the media type out',
  ],
  ['reusable media types', `${new32}  mediaTypes: { X: {} }\n`, '22:3 info "mediaTypes" is new'],
  [
    'a summary of a response',
    before('          content:', '          summary: All\n'),
    '11:11 info "summary" is new',
  ],
  [
    'a serialized example',
    new32.replace('example: { name: ball }', 'examples: { a: { serializedValue: "{}" } }'),
    '14:32 info "serializedValue" is new',
  ],
  [
    'a device authorization',
    `${new32}  securitySchemes: { a: { type: oauth2, flows: { deviceAuthorization: { deviceAuthorizationUrl: "https://a.test", tokenUrl: "https://a.test", scopes: {} } } } }\n`,
    '22:50 info "deviceAuthorization" is new',
  ],
  [
    'a deprecated security scheme',
    `${new32}  securitySchemes: { a: { type: http, scheme: bearer, deprecated: true } }\n`,
    '22:55 info "deprecated" is new',
  ],
  [
    'the node type of XML',
    new32.replace('name: { type: string }', 'name: { type: string, xml: { nodeType: text } }'),
    '21:38 info "nodeType" is new',
  ],
  [
    'a default mapping',
    new32.replace(
      '      type: object\n',
      '      type: object\n      discriminator: { propertyName: name, defaultMapping: Thing }\n',
    ),
    '19:44 info "defaultMapping" is new',
  ],
])('%s is named with its line', async (_part, text, finding) => {
  const findings = await findingsOf(text)
  expect(findings).toContainEqual(expect.stringContaining(finding))
  const unsupported = finding.includes(' error ')
  expect(findings.filter((each) => / error /.test(each))).toHaveLength(unsupported ? 1 : 0)
})

test('the dataValue of an example is its value', async () => {
  const text = new32.replace('example: { name: ball }', 'examples: { a: { dataValue: { name: ball } } }')
  expect(await findingsOf(text)).toEqual([])
  const operation = operationOf(await contractOf(text), 'listThings')
  expect(operation.examples(200)).toMatchObject([{ name: 'a', value: { name: 'ball' } }])
  expect(await findingsOf(text.replace('ball', '4'))).toEqual([
    expect.stringContaining('the example "a" does not fit'),
  ])
})

test('a 3.1 document with a part of 3.2 is not valid', async () => {
  expect(await findingsOf(SMALL.replace('info:', '$self: https://api.test\ninfo:'))).toEqual([
    expect.stringContaining('error is not valid OpenAPI 3.1'),
  ])
})
