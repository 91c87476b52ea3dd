import { expect, test } from 'vitest'
import { call, expectRefusal } from '../support/client.ts'
import { sharedSimulator } from '../support/shared.ts'
import { listRequests } from '../support/stored-records.ts'
import { tempFile } from '../support/temp-folder.ts'

/** An OpenAPI document that is unrelated to the bundled one. */
const document = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers: [{ url: /v2 }]
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getThing, responses: { '204': { description: None. } } }
    delete: { operationId: deleteThing, responses: { '204': { description: None. } } }
  /users:
    post:
      operationId: createUser
      parameters:
        - { in: header, name: X-Api-Key, schema: { type: string, minLength: 20 } }
        - { in: query, name: access_token, schema: { type: string, minLength: 20 } }
        - { in: header, name: X-Acme, schema: { type: string, minLength: 20 } }
        - { in: query, name: acme, schema: { type: string, minLength: 20 } }
        - { in: query, name: session, schema: { enum: [a; got b, c] } }
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { $ref: '#/components/schemas/User' }
          text/xml:
            schema: { type: string, maxLength: 9 }
      responses: { '204': { description: Created. } }
  /report:
    get:
      operationId: getReport
      responses:
        '200':
          description: Rows.
          headers:
            Content-Length: { schema: { type: integer }, example: 1 }
            Access-Control-Allow-Origin: { schema: { type: string }, example: https://elsewhere.test }
            X Wrong Name: { schema: { type: string }, example: a }
          content: { text/csv: { schema: { type: string }, example: "a,b\\n1,2\\n" } }
  /escaped:
    get:
      operationId: getEscaped
      responses:
        '200':
          description: Names that must be escaped in a JSON Pointer.
          content:
            application/problem+json:
              schema:
                type: object
                properties:
                  items:
                    type: array
                    items: { type: object, required: [a/b, c~d], properties: { a/b: { type: integer }, c~d: {} } }
              example: { items: [{ a/b: 1, c~d: 2 }] }
  /keys:
    get:
      operationId: listKeys
      security: [{ key: [] }, { queryKey: [] }]
      responses: { '204': { description: None. } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Acme }
    queryKey: { type: apiKey, in: query, name: acme }
  schemas:
    User:
      type: object
      required: [user]
      properties:
        user: { type: string }
        age: { type: integer }
        secrets: { type: array, items: { type: integer } }
        max_tokens: { type: integer, minimum: 1 }
`

const sim = sharedSimulator(async (onFinished) => ({ contract: await tempFile(document, 'shop.yaml', onFinished) }))

test('the refusal of an unknown path lists each known path only once, even one with several methods', async () => {
  expectRefusal(await call(sim(), '/v2/nothing'), 404, /Known paths: [^{]*\{id\}[^{]*$/)
})

test.each([
  ['a slash', '/items/*/a~1b', { 'c~d': 2 }],
  ['a tilde', '/items/*/c~0d', { 'a/b': 1 }],
])('drop-field acts on a field with %s in its name, even in problem+json', async (_name, pointer, remaining) => {
  const { headers, text } = await call(sim(), '/v2/escaped', { scenario: `drop-field;pointer=${pointer}` })
  expect([headers.get('content-type'), JSON.parse(text)]).toEqual(['application/problem+json', { items: [remaining] }])
})

test('headers that the server sets take precedence over documented headers', async () => {
  const { status, text, headers } = await call(sim(), '/v2/report', { headers: { origin: 'https://page.test' } })
  expect([status, text]).toEqual([200, 'a,b\n1,2\n'])
  expect(Object.fromEntries(headers)).toMatchObject({ 'content-length': '8', 'access-control-allow-origin': '*' })
})

const form = 'application/x-www-form-urlencoded'
const hidden = String.raw`[^;]*; got \[redacted\]`

test.each([
  ['?access_token=my-secret', {}, 'user=joe', form, `query/access_token: ${hidden}`],
  ['', { 'X-Api-Key': 'my-secret' }, 'user=joe', form, `header/x-api-key: ${hidden}`],
  ['?acme=my-secret', {}, 'user=joe', form, `query/acme: ${hidden}`],
  ['', { 'X-Acme': 'my-secret' }, 'user=joe', form, `header/x-acme: ${hidden}`],
  ['?session=my-secret', {}, 'user=joe', form, 'must be one of "a; got b", "c"; got \\[redacted\\]'],
  ['', {}, 'user=joe&secrets=my-secret', form, `body/secrets/0: ${hidden}`],
  ['', {}, 'user=joe&max_tokens=0', form, 'body/max_tokens: must be at least 1; got 0'],
  ['', {}, '<password>my-secret</password>', 'text/xml', `body: must have at most 9 characters${hidden}`],
  ['', {}, '<user>joe</user>', 'text/xml', 'body: must have at most 9 characters; got 16: "<user>joe</user>"'],
])(
  'a refusal quotes the invalid value, but never a credential: %s %j %s',
  async (query, headers, body, contentType, words) => {
    const response = await call(sim(), `/v2/users${query}`, { headers, body, contentType })
    expectRefusal(response, 400, new RegExp(words))
    const shown = [...response.headers, response.text, (await listRequests(sim())).at(-1)]
    expect(JSON.stringify(shown)).not.toContain('my-secret')
  },
)

test.each([[{ header: { 'x-acme': 'my-secret' } }], [{ query: { acme: 'my-secret' } }]])(
  'a verification cannot match the value of an API key in a custom header or query parameter: %j',
  async (match) => {
    const response = await call(sim(), '/__sim/verify', { body: { operation: 'listKeys', match } })
    expectRefusal(response, 400, /does not store the value of the (header "x-acme"|query parameter "acme")/)
  },
)
