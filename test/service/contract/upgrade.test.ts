import { describe, expect, test } from 'vitest'
import { contractOf, findingsOf, operationOf, SMALL } from './documents.ts'

const note = (version: string) => `1:1 info is ${version}, and was upgraded to 3.1 in memory; the file stays as it is`

const ok = "{ responses: { '204': { description: ok } } }"

test.each([
  ['openapi: 3.0', 'OpenAPI 3.0.0'],
  ['openapi: "3.0"', 'OpenAPI 3.0.0'],
  ['swagger: 2.0', 'Swagger 2.0'],
  ['swagger: "2.0"', 'Swagger 2.0'],
  ['swagger: 2', 'Swagger 2.0'],
])('%s is served', async (version, name) => {
  const text = `${version}\ninfo: { title: Old, version: 1.0.0 }\npaths: { /a: { get: ${ok} } }\n`
  expect(await findingsOf(text)).toEqual([note(name)])
  expect((await contractOf(text)).basePath).toBe('')
})

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
      '29:5 warning bodies of the type multipart/form-data are accepted unchecked',
      '40:65 warning the format "shape" is not known and not checked',
      note('Swagger 2.0'),
    ])
  })

  test('has its base path, parameters, bodies, forms, responses and security', async () => {
    const contract = await contractOf(SWAGGER)
    expect(contract.basePath).toBe('/api')
    const [note, file, table] = ['addNote', 'addFile', 'getTable'].map((id) => operationOf(contract, id))
    expect(note?.security).toHaveLength(1)
    expect(note?.checkBody('application/json', { text: null })).toEqual([])
    expect(note?.checkBody('application/json', {})).toMatchObject([{ pointer: '/text', keyword: 'required' }])
    expect(note?.examples(200)).toMatchObject([{ value: { text: 'hello' } }])
    expect(note?.checkResponse(400, { code: 'x' })).toMatchObject([{ pointer: '/code' }])

    expect(file?.body?.mediaTypes).toEqual(['multipart/form-data'])
    expect(table?.responseMediaTypes(200)).toEqual(['text/csv'])
  })
})

test('a document without operations is refused', async () => {
  const reason = 'describes no operation, so there is nothing to serve; webhooks are requests that the API itself sends'
  expect(await findingsOf(SMALL.replace(/paths:.*/s, 'paths: {}\n'))).toEqual([`4:1 error ${reason}`])
})

test.each(['{base}/v1', 'http://['])('the server %s is served under "/", with a warning', async (url) => {
  const text = SMALL.replace('https://api.test/v1', `'${url}'`)
  expect((await contractOf(text)).basePath).toBe('')
  expect(await findingsOf(text)).toEqual(['3:13 warning is not a usable URL, so the API is served under "/"'])
})
