import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Contract } from '../../src/contract/contract.ts'
import { contractOf } from './documents.ts'

const ok = "{ responses: { '200': { description: ok } } }"
const DOCUMENT = `openapi: 3.1.0
info: { title: Paths, version: 1.0.0 }
servers: [{ url: 'https://{region}.test/{root}/', variables: { region: { default: eu }, root: { default: v1 } } }]
paths:
  /models/{modelId}/analytics: { get: ${ok}, delete: ${ok} }
  /models/latest/analytics: { get: ${ok} }
  /models/{modelId}/{part}: { get: ${ok} }
  /files/{name}.{extension}: { get: ${ok} }
  /files/{name}: { get: ${ok} }
  /a b: { get: ${ok}, head: ${ok} }
`
let contract: Contract

beforeAll(async () => {
  contract = await contractOf(DOCUMENT)
})

/** Returns a match as one line: the operation's id and its parameters, or the kind and its details. */
function match(method: string, path: string): string {
  const found = contract.match(method, path)
  if (found.kind === 'operation') return `${found.operation.id} ${JSON.stringify(found.path)}`
  if (found.kind === 'wrong-method') return `wrong-method ${found.path} ${found.allowed.join(',')}`
  if (found.kind === 'outside-base') return `outside-base ${found.isBaseMissing}`
  return found.kind
}

test.each([
  ['GET', '/v1/models/7/analytics', 'GET /models/{modelId}/analytics {"modelId":"7"}'],
  ['DELETE', '/v1/models/7/analytics', 'DELETE /models/{modelId}/analytics {"modelId":"7"}'],
  ['GET', '/v1/models/latest/analytics', 'GET /models/latest/analytics {}'],
  ['GET', '/v1/models/7/other', 'GET /models/{modelId}/{part} {"modelId":"7","part":"other"}'],
  ['GET', '/v1/files/a.b.txt', 'GET /files/{name}.{extension} {"name":"a.b","extension":"txt"}'],
  ['GET', '/v1/files/plain', 'GET /files/{name} {"name":"plain"}'],
  ['GET', '/v1/models/a%2Fb/analytics', 'GET /models/{modelId}/analytics {"modelId":"a/b"}'],
  ['GET', '/v1/models/%C3%A4%20/analytics', 'GET /models/{modelId}/analytics {"modelId":"ä "}'],
  ['GET', '/v1/a%20b', 'GET /a b {}'],
  ['HEAD', '/v1/a%20b', 'HEAD /a b {}'],
  // A concrete template wins even if only the other template has the method.
  ['DELETE', '/v1/models/latest/analytics', 'wrong-method /models/latest/analytics GET'],
  ['POST', '/v1/models/7/analytics', 'wrong-method /models/{modelId}/analytics DELETE,GET'],
  ['HEAD', '/v1/models/7/analytics', 'wrong-method /models/{modelId}/analytics DELETE,GET'],
  ['get', '/v1/files/plain', 'wrong-method /files/{name} GET'],
  ['GET', '/v1', 'unknown-path'],
  ['GET', '/v1/', 'unknown-path'],
  ['GET', '/v1/files', 'unknown-path'],
  ['GET', '/v1/files/', 'unknown-path'],
  ['GET', '/v1/files/plain/', 'unknown-path'],
  ['GET', '/v1/models//analytics', 'unknown-path'],
  ['GET', '/v1/Files/plain', 'unknown-path'],
  ['GET', '/v1//files/plain', 'unknown-path'],
  ['GET', '/files/plain', 'outside-base true'],
  ['GET', '/v12/files/plain', 'outside-base false'],
  ['GET', '/', 'outside-base false'],
  ['GET', '', 'outside-base false'],
  // A text before the first slash is not a segment.
  ['GET', 'v1/files/plain', 'outside-base true'],
  ['GET', '*', 'outside-base false'],
  ['GET', '/v1/files/%', 'malformed'],
  ['GET', '/v1/files/%zz', 'malformed'],
  ['GET', '/v1/files/%C3', 'malformed'],
  ['GET', '/%', 'malformed'],
])('%s %s matches %s', (method, path, expected) => {
  expect(match(method, path)).toBe(expected)
})

test('a parameter has the text that was encoded', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      const found = contract.match('GET', `/v1/models/${encodeURIComponent(text)}/analytics`)
      fc.pre(text !== 'latest')
      expect(found).toMatchObject({ kind: 'operation', path: { modelId: text } })
    }),
  )
})

test('no path makes match throw', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (method, path) => contract.match(method, `/v1/${path}`).kind !== undefined,
    ),
  )
})

test('a document whose server has no path is matched from the root', async () => {
  const root = await contractOf(DOCUMENT.replace(/^servers:.*$/m, 'servers: [{ url: https://api.test }]'))
  expect(root.basePath).toBe('')
  expect(root.match('GET', '/files/plain').kind).toBe('operation')
  expect(root.match('GET', 'files/plain')).toEqual({ kind: 'outside-base', isBaseMissing: false })
})
