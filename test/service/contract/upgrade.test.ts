import { describe, expect, test } from 'vitest'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

const note = (version: string) => `1:1 info is ${version}, and was upgraded to 3.1 in memory; the file stays as it is`

describe('the version', () => {
  test.each([
    ['openapi: 3.1', []],
    ['openapi: "3.1"', []],
    ['openapi: 3.1.1', []],
    ['openapi: 3.0.3', [note('OpenAPI 3.0.3')]],
    ['openapi: 3.0', [note('OpenAPI 3.0.0')]],
    ['openapi: "3.0"', [note('OpenAPI 3.0.0')]],
  ])('%s is served', async (version, findings) => {
    expect(await findingsOf(SMALL.replace('openapi: 3.1.0', version))).toEqual(findings)
  })

  test.each(['2.0', '"2.0"', '2'])('swagger: %s is served', async (version) => {
    const text = `swagger: ${version}\ninfo: { title: Old, version: 1.0.0 }\npaths: { /a: { get: ${ok} } }\n`
    expect(await findingsOf(text)).toEqual([note('Swagger 2.0')])
    expect((await contractOf(text)).basePath).toBe('')
  })
})

const ok = "{ responses: { '204': { description: ok } } }"

test('keywords of 3.0 have their meaning, and examples and property names stay as they are', async () => {
  const schema = `
        name: { type: string, nullable: true }
        size: { type: number, minimum: 5, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }
        example: { type: string }
        list: { type: array, items: { enum: [a], nullable: true }, example: [{ type: string, format: binary }] }`
  const text = SMALL.replace('\n        name: { type: string }', schema).replace('3.1.0', '3.0.3')
  expect(await findingsOf(text)).toEqual([note('OpenAPI 3.0.3')])
  const operation = operationOf(await contractOf(text), 'listThings')
  const places = (body: object) => operation.checkResponse(200, { name: 'x', ...body }).map(({ pointer }) => pointer)
  expect(places({ name: null, size: 9, example: 'x', list: ['a', null] })).toEqual([])
  expect(places({ name: 1, size: 5, example: 1, list: ['b'] })).toEqual(['/name', '/size', '/example', '/list/0'])
  expect(operation.responseSchema(200)).toMatchObject({
    properties: { list: { example: [{ type: 'string', format: 'binary' }] } },
  })
})

test('"exclusiveMinimum: true" in a document of 3.1 is read as it is meant, with a warning', async () => {
  const text = SMALL.replace('{ type: string }', '{ type: number, minimum: 5, exclusiveMinimum: true }')
  const findings = await findingsOf(text.replace('{ name: ball }', '{ name: 6 }'))
  expect(findings).toEqual(['21:43 warning "exclusiveMinimum: true" is OpenAPI 3.0; read as "exclusiveMinimum: 5"'])
})

const SWAGGER = `swagger: '2.0'
info: { title: Old, version: 1.0.0 }
host: api.test
basePath: /api
produces: [application/json]
securityDefinitions:
  login: { type: oauth2, flow: accessCode, authorizationUrl: https://a.test, tokenUrl: https://b.test, scopes: {} }
security: [{ login: [] }]
parameters:
  Note: { in: body, name: note, required: true, schema: { $ref: '#/definitions/Note' } }
  Tags: { in: query, name: tags, type: array, items: { type: string, enum: [a, b] }, collectionFormat: pipes }
responses:
  Wrong: { description: no, schema: { $ref: '#/definitions/Problem' } }
paths:
  /notes:
    post:
      operationId: addNote
      parameters: [{ $ref: '#/parameters/Note' }]
      responses:
        '200':
          description: ok
          schema: { $ref: '#/definitions/Note' }
          examples: { application/json: { text: hello } }
          headers: { X-Left: { type: integer } }
        '400': { $ref: '#/responses/Wrong' }
    parameters: [{ $ref: '#/parameters/Tags' }]
  /colours:
    post:
      operationId: addColour
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - { in: formData, name: colour, type: string, enum: [red, blue], required: true }
        - { in: formData, name: depth, type: integer, maximum: 3 }
      responses: { '204': { description: ok } }
  /files:
    x-nothing: null
    post:
      operationId: addFile
      parameters: [{ in: formData, name: file, type: file, required: true }]
      responses: { '200': { description: ok, schema: { type: file } } }
  /table:
    get:
      operationId: getTable
      produces: [text/csv]
      responses: { '200': { description: ok, schema: { type: string } } }
definitions:
  Note: { type: object, required: [text], properties: { text: { type: string, x-nullable: true } } }
  Problem: { type: object, properties: { code: { type: integer, format: shape } } }
`

describe('a document of Swagger 2.0', () => {
  test('has findings with the places of its file', async () => {
    expect(await findingsOf(SWAGGER)).toEqual([
      '37:5 warning bodies of the type multipart/form-data are accepted unchecked',
      '48:65 warning the format "shape" is not known and not checked',
      note('Swagger 2.0'),
    ])
  })

  test('has its base path, parameters, bodies, forms, responses and security', async () => {
    const contract = await contractOf(SWAGGER)
    expect(contract.basePath).toBe('/api')
    const [note, colour, file, table] = ['addNote', 'addColour', 'addFile', 'getTable'].map((id) =>
      operationOf(contract, id),
    )
    expect(note?.security).toHaveLength(1)
    expect(note?.checkBody('application/json', { text: null })).toEqual([])
    expect(note?.checkBody('application/json', {})).toMatchObject([{ pointer: '/text', keyword: 'required' }])
    const read = (tags: string) => note?.readParameters({ path: {}, query: { tags }, header: {} })
    expect(read('a|b')).toMatchObject({ values: { query: { tags: ['a', 'b'] } }, violations: [] })
    expect(read('a|c')?.violations).toMatchObject([{ pointer: '/tags/1' }])
    expect(note?.examples(200)).toMatchObject([{ value: { text: 'hello' } }])
    expect(note?.checkResponse(400, { code: 'x' })).toMatchObject([{ pointer: '/code' }])

    expect(colour?.body).toEqual({ required: true, mediaTypes: ['application/x-www-form-urlencoded'] })
    const mediaType = 'application/x-www-form-urlencoded'
    const form = colour?.readText(mediaType, 'colour=green&depth=4') ?? {}
    const violations = colour?.checkBody(mediaType, form)
    expect(violations?.map(({ pointer }) => pointer)).toEqual(['/colour', '/depth'])
    expect(file?.body?.mediaTypes).toEqual(['multipart/form-data'])
    expect(table?.responseMediaTypes(200)).toEqual(['text/csv'])
  })
})

test.each([
  ['webhooks only', 'paths:', 'webhooks:'],
  ['paths: {}', /paths:.*/s, 'paths: {}\n'],
])('a document without operations is refused: %s', async (_, from, to) => {
  const reason = 'describes no operation, so there is nothing to serve; webhooks are requests that the API itself sends'
  const findings = await findingsOf(SMALL.replace(from, () => to).replace('  /things:', '  things:'))
  expect(findings).toContainEqual(expect.stringMatching(new RegExp(`^\\d+:1 error ${reason}$`)))
})

test.each([
  ['servers: []', '', []],
  ['', '', []],
  ['servers: [{ url: https://api.test/ }]', '', []],
  ['servers: [{ url: v1/ }]', '/v1', []],
  ["servers: [{ url: '{base}/v1' }]", '', ['3:13 warning is not a usable URL, so the API is served under "/"']],
  ["servers: [{ url: 'http://[' }]", '', ['3:13 warning is not a usable URL, so the API is served under "/"']],
])('%j is served under "%s"', async (servers, basePath, findings) => {
  const text = SMALL.replace('servers: [{ url: https://api.test/v1 }]', servers)
  expect((await contractOf(text)).basePath).toBe(basePath)
  expect(await findingsOf(text)).toEqual(findings)
})
