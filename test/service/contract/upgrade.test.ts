import { expect, test } from 'vitest'
import { contractOf, findingsOf, SMALL } from './documents.ts'

const note = (version: string) => `1:1 info is ${version} and was upgraded to 3.1 in memory; the file was not changed`

const ok = "{ responses: { '204': { description: ok } } }"

test.each([
  ['openapi: 3.0', 'OpenAPI 3.0.0'],
  ['openapi: "3.0"', 'OpenAPI 3.0.0'],
  ['swagger: 2.0', 'Swagger 2.0'],
  ['swagger: "2.0"', 'Swagger 2.0'],
  ['swagger: 2', 'Swagger 2.0'],
])('a document that begins with %s is served, with a note about the upgrade', async (version, name) => {
  const text = `${version}\ninfo: { title: Old, version: 1.0.0 }\npaths: { /a: { get: ${ok} } }\n`
  expect(await findingsOf(text)).toEqual([note(name)])
  expect((await contractOf(text)).basePath).toBe('')
})

test('findings about a Swagger 2.0 document give locations in the original file', async () => {
  const text = `swagger: '2.0'
info: { title: Old, version: 1.0.0 }
paths:
  /files:
    post:
      parameters: [{ in: formData, name: file, type: file, required: true }]
      responses: { '200': { description: ok, schema: { $ref: '#/definitions/Problem' } } }
definitions:
  Problem: { type: object, properties: { code: { type: integer, format: shape } } }
`
  expect(await findingsOf(text)).toEqual([
    '5:5 warning bodies of type multipart/form-data are accepted without checks',
    '9:65 warning the format "shape" is unknown and not checked',
    note('Swagger 2.0'),
  ])
})

test('a document without operations is refused', async () => {
  const reason = 'has no operations, so there is nothing to serve; webhooks do not count, because the API sends them'
  expect(await findingsOf(SMALL.replace(/paths:.*/s, 'paths: {}\n'))).toEqual([`4:1 error ${reason}`])
})

test.each(['{base}/v1', 'http://['])('the server URL %s is replaced by "/", and a warning is reported', async (url) => {
  const text = SMALL.replace('https://api.test/v1', `'${url}'`)
  expect((await contractOf(text)).basePath).toBe('')
  expect(await findingsOf(text)).toEqual(['3:13 warning is not a usable URL, so the API is served under "/"'])
})
