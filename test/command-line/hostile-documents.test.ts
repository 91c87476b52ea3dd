import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Json } from '../../src/base/core/json.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { documentWithData, findProblem, startCounter, tryDocument } from '../support/try-document.ts'

const counter = await startCounter()
afterAll(() => counter.close())

const secret = 'file content that must not appear in a response'

/** Writes a document next to a secret file. Replaces FILE with that file's path, and URL with the counter's URL. */
async function write(document: object | string): Promise<string> {
  const folder = await tempFolder()
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const secretFile = join(folder, 'secret.json')
  await writeFile(secretFile, JSON.stringify({ secret }))
  const file = join(folder, 'contract.yaml')
  await writeFile(file, text.replaceAll('FILE', secretFile).replaceAll('URL', counter.url))
  return file
}

async function outcomeOf(document: object | string, overlay?: object) {
  const requests = counter.counted.requests
  const overlays = overlay && { overlay: await write(overlay) }
  const outcome = await tryDocument(await write(document), overlays)
  expect(findProblem(outcome, secret)).toBeUndefined()
  expect(counter.counted.requests).toBe(requests)
  return outcome
}

const file = { $ref: 'FILE' }
const url = { $ref: 'URL' }
const local = { $ref: '#/components/schemas/A' }
const withSchemas = (schema: Json, schemas: { [name: string]: Json }) =>
  documentWithData({ schema }, { components: { schemas } })
/** Returns a document with additional members at its root, and in its path item, operation and response. */
function withMembers(...[top, item, operation, response]: object[]) {
  const document = documentWithData({ example: 1 }, top as { [name: string]: Json })
  const path = document.paths['/data']
  Object.assign(path ?? {}, item)
  Object.assign(path?.get ?? {}, operation)
  Object.assign(path?.get.responses[200] ?? {}, response)
  return document
}
const extensions = { 'x-guide': file, 'x-list': [url, { deep: file }] }
const ok = { responses: { 200: { description: 'Ok.' } } }
const withSchema = (schema: Json) => documentWithData({ schema })
const withExamples = (examples: Json) => documentWithData({ examples })
const withLink = (a: Json) => withMembers({}, {}, {}, { links: { a } })
const withScheme = (a: Json) => withMembers({ components: { securitySchemes: { a } } })
const intoCallback = {
  requestBody: { $ref: '#/paths/~1data/get/callbacks/a/%7B$url%7D/post/requestBody' },
  callbacks: { a: { '{$url}': { post: { ...ok, requestBody: { content: {} } } } } },
}

const data = { leak: file, list: [url, local], '\0$ref': 1, deep: { $ref: { $ref: 'FILE' }, $id: 'a' } }
test.each<[string, { [name: string]: Json }, Json?]>([
  ['an example', { example: data }],
  ['a named example', { examples: { first: { value: data, 'x-a': file } } }],
  ['an example in a schema', { schema: { type: 'object', examples: [data] } }],
  ['a default', { schema: { type: 'object', default: data } }],
  ['a constant', { schema: { const: data } }],
  ['an enumeration', { schema: { enum: [data] } }],
  ['the default of a property', { schema: { type: 'object', properties: { a: { default: data } } } }, { a: data }],
  ['the name of a property', { schema: { properties: { $ref: { const: 'a' } }, required: ['$ref'] } }, { $ref: 'a' }],
])('a $ref in data is not a reference: %s is not changed', async (_, media, expected = data) => {
  const { body, startupErrors } = await outcomeOf(documentWithData(media))
  expect(startupErrors).toEqual([])
  const [, filePath] = /"leak":\{"\$ref":"([^"]*)"/.exec(body ?? '') ?? []
  const text = JSON.stringify(expected).replaceAll('FILE', String(filePath)).replaceAll('URL', counter.url)
  expect(JSON.parse(body ?? '')).toEqual(JSON.parse(text))
})

const selfReference = (section: string, name = 'a') => ({
  components: { [section]: { [name]: { $ref: `#/components/${section}/${name}` } } },
})

test.each<[string, object]>([
  ['extensions', withMembers(extensions, extensions, extensions, extensions)],
  ['extensions in schemas', documentWithData({ schema: { type: 'object', ...extensions }, ...extensions })],
  ['an extension in responses', withMembers({}, {}, { responses: { 200: { description: '' }, 'x-a': file } })],
  ['an extension in a callback', withMembers({}, {}, { callbacks: { a: { 'x-a': file, '{$url}': { post: ok } } } })],
  ['a $ref in a link', withLink({ operationId: 'getData', requestBody: file, parameters: url })],
  ['scopes', withScheme({ type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://a.test', scopes: url } } })],
  ['a mapping to a URL', withSchema({ oneOf: [true], discriminator: { propertyName: 'a', mapping: url } })],
  ['a definition named $ref', withSchema({ $defs: { $ref: true }, patternProperties: { $ref: {} } })],
  ['two examples with the same $id', withExamples({ a: { value: { $id: 'a', b: 1 } }, b: { value: { $id: 'a' } } })],
  ['an unknown dialect', documentWithData({ schema: {} }, { jsonSchemaDialect: 'URL' })],
  ['an unknown $schema', withSchema({ $schema: 'URL', properties: { a: { $schema: 'http://a.test' } } })],
  ['a $id that is a URL', withSchema({ $id: 'URL', $anchor: 'a', type: 'object' })],
  ['an encoded reference', withSchemas({ $ref: '#/components%2Fschemas/%41' }, { A: { type: 'object' } })],
  ['a reference into a callback', withMembers({}, {}, intoCallback)],
  ['a file as an example', documentWithData({ examples: { a: file } })],
  ['a file as an example named x-a', documentWithData({ examples: { 'x-a': file } })],
  ['a file as a link', withLink(file)],
  ['a URL as a callback', withMembers({}, {}, { callbacks: { a: url } })],
  ['a file as a security scheme', withScheme(file)],
  ['a security scheme that refers to itself', withMembers(selfReference('securitySchemes'))],
  ['an example that refers to itself', withMembers(selfReference('examples', 'x-a'))],
  ['a $dynamicRef to a URL', documentWithData({ schema: { $dynamicRef: 'URL' } })],
  ['a $schema that is a number', documentWithData({ schema: { $schema: 7 } })],
  ['a duplicate $id', withSchema({ anyOf: [{ $id: 'a', type: 'object' }, { $id: 'a' }] })],
  ['100,000 enum values', withSchema({ enum: Array.from({ length: 100_000 }, (_, index) => index) })],
])('a document with %s is served and passes check', async (_, document) => {
  const { startupErrors, body } = await outcomeOf(document)
  expect([startupErrors, body]).toEqual([[], expect.any(String)])
})

const nested = (levels: number) => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`
const text = JSON.stringify(documentWithData({ example: 'HERE' }))
const toExample = { $ref: '#/paths/~1data/get/responses/200/content/application~1json/example' }
const toInvalidIndex = { $ref: '#/components/schemas/A/allOf/' }

test.each<[string, object]>([
  ['a file as a schema', documentWithData({ schema: file })],
  ['a file outside the folder as a schema', documentWithData({ schema: { $ref: '../secret.json' } })],
  ['a URL as a schema', documentWithData({ schema: { items: url } })],
  ['a reference to an example', documentWithData({ example: {}, schema: toExample })],
  ['a reference to an extension', documentWithData({ schema: { $ref: '#/x-a' } }, { 'x-a': file })],
  ['a reference that is a number', documentWithData({ schema: { $ref: 7 } })],
  ['a reference that is a list', documentWithData({ schema: { items: { $ref: [url] } } })],
  ['a reference with an invalid index', withSchemas(toInvalidIndex, { A: { allOf: [{}] } })],
])('a document with %s is served and passes check, because the reference is ignored', async (_, document) => {
  const { checkErrors, startupErrors } = await outcomeOf(document)
  expect([checkErrors, startupErrors]).toEqual([[], []])
})

test.each<[string, object | string, RegExp]>([
  ['a file as a path item', documentWithData({}, { paths: { '/data': file } }), /is outside/],
  ['a file as the paths object', documentWithData({}, { paths: file }), /has no operations/],
  ['10,000 levels of nesting', text.replace('"HERE"', nested(10_000)), /nested deeper than/],
  ['300 levels of nesting', text.replace('"HERE"', nested(300)), /nested deeper than/],
  ['an alias that contains itself', text.replace('"HERE"', '&a [*a]'), /contains itself/],
  ['a __proto__ member', text.replace('"HERE"', '{ __proto__: { a: 1 } }'), /__proto__/],
])('check and serve both refuse a document with %s', async (_, document, reason) => {
  const { checkErrors, startupErrors } = await outcomeOf(document)
  for (const errors of [checkErrors, startupErrors]) expect(errors.join()).toMatch(reason)
})

test('an overlay that sets an invalid OpenAPI version is refused by both check and serve', async () => {
  const actions = [{ target: '$', update: { openapi: '3' } }]
  const overlay = { overlay: '1.1.0', info: { title: 'O', version: '1' }, actions }
  const { checkErrors, startupErrors } = await outcomeOf(documentWithData({ example: 1 }), overlay)
  const reason = expect.stringMatching(/only 2\.0, 3\.0, 3\.1 and 3\.2/)
  expect([checkErrors.join(), startupErrors.join()]).toEqual([reason, reason])
})
