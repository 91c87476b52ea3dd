import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contractOf, SMALL } from './documents.ts'

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
  /mixed/{b}-{c}-{d}-{e}: { get: ${ok} }
  /mixed/v{major}.{minor}/{a}{b}: { get: ${ok} }
`
const contract = await contractOf(DOCUMENT)

/** Describes a match in one line: the operation's ID and path parameters, or the kind of mismatch and its details. */
function describeMatch(found: ReturnType<typeof contract.match>): string {
  if (found.kind === 'operation') return `${found.operation.id} ${JSON.stringify(found.pathParameters)}`
  if (found.kind === 'wrong-method') return `wrong-method ${found.path} ${found.allowed.join(',')}`
  if (found.kind === 'outside-base') return `outside-base ${found.isBaseMissing}`
  return found.kind
}

const match = (method: string, path: string) => describeMatch(contract.match(method, path))

test.each([
  ['GET', '/v1/models/7/analytics', 'GET /models/{modelId}/analytics {"modelId":"7"}'],
  ['GET', '/v1/models/7/other', 'GET /models/{modelId}/{part} {"modelId":"7","part":"other"}'],
  ['GET', '/v1/files/a.b.txt', 'GET /files/{name}.{extension} {"name":"a.b","extension":"txt"}'],
  ['GET', '/v1/files/plain', 'GET /files/{name} {"name":"plain"}'],
  ['GET', '/v1/mixed/v1.2.3/xyz', 'GET /mixed/v{major}.{minor}/{a}{b} {"major":"1.2","minor":"3","a":"xy","b":"z"}'],
  // A concrete path wins even if only a path with parameters allows the method.
  ['DELETE', '/v1/models/latest/analytics', 'wrong-method /models/latest/analytics GET'],
  ['get', '/v1/files/plain', 'wrong-method /files/{name} GET'],
  ['GET', '/v1', 'unknown-path'],
  ['GET', '/v1/files/', 'unknown-path'],
  ['GET', '/v1/files/plain/', 'unknown-path'],
  ['GET', '/v1/models//analytics', 'unknown-path'],
  ['GET', '/v1//files/plain', 'unknown-path'],
  ['GET', '/files/plain', 'outside-base true'],
  ['GET', '/v12/files/plain', 'outside-base false'],
  ['GET', '/', 'outside-base false'],
  // Text before the first slash is not a segment.
  ['GET', 'v1/files/plain', 'outside-base true'],
  ['GET', '*', 'outside-base false'],
  ['GET', '/v1/files/%', 'malformed'],
  ['GET', '/v1/files/%C3', 'malformed'],
  ['GET', '/%', 'malformed'],
])('matching %s %s yields %s', (method, path, expected) => {
  expect(match(method, path)).toBe(expected)
})

const templates = ['/{x}/{y}', '/{x}', '/{x}/a', '/b/{y}', '/b/a', '/{x}/a.{e}', '/b', '/{x}/{y}/{z}']
const requestPaths = ['/b', '/c', '/b/a', '/b/c', '/c/a', '/c/c', '/c/a.e', '/c/a/e']

test('the order of the paths in the document does not affect which one matches', async () => {
  const matchesOf = async (paths: readonly string[]) => {
    const list = paths.map((path) => `  ${path}: { get: ${ok} }`).join('\n')
    const { match } = await contractOf(`openapi: 3.1.0\ninfo: { title: Order, version: 1.0.0 }\npaths:\n${list}\n`)
    return requestPaths.map((path) => describeMatch(match('GET', path)))
  }
  const orders = fc.shuffledSubarray(templates, { minLength: 2 })
  const property = fc.asyncProperty(orders, async (paths) => {
    const sorted = templates.filter((path) => paths.includes(path))
    expect(await matchesOf(paths)).toEqual(await matchesOf(sorted))
  })
  await fc.assert(property, { numRuns: 30 })
})

test('the value of a path parameter is percent-decoded', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      const found = contract.match('GET', `/v1/models/${encodeURIComponent(text)}/analytics`)
      fc.pre(text !== 'latest')
      expect(found).toMatchObject({ kind: 'operation', pathParameters: { modelId: text } })
    }),
  )
})

test('several parameters in a segment match what groups in a regular expression would match', async () => {
  const piece = fc.constantFrom('-', '.', '--', 'x')
  const template = fc.tuple(
    fc.option(piece, { nil: '' }),
    fc.array(fc.option(piece, { nil: '' }), { minLength: 1, maxLength: 4 }),
  )
  const text = fc.string({ unit: fc.constantFrom('-', '.', 'x', 'a'), maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(template, fc.array(text, { minLength: 20, maxLength: 20 }), async ([first, texts], segments) => {
      const path = `/${first}${texts.map((after, index) => `{p${index}}${after}`).join('')}`
      const mixed = await contractOf(SMALL.replace('/things:', () => `${path}:`))
      const groups = texts.map((after, index) => `(?<p${index}>.+)${after.replaceAll('.', '\\.')}`)
      const expression = new RegExp(`^${first.replaceAll('.', '\\.')}${groups.join('')}$`)
      for (const segment of segments) {
        const found = mixed.match('GET', `/v1/${segment}`)
        const expected = expression.exec(segment)?.groups
        expect(found.kind === 'operation' ? found.pathParameters : undefined).toEqual(expected && { ...expected })
      }
    }),
  )
})

test('a segment that a regular expression would take minutes to match is matched immediately', () => {
  const path = `/v1/mixed/${'-'.repeat(200_000)}`
  expect(contract.match('GET', path)).toMatchObject({ pathParameters: { b: '-'.repeat(199_994), c: '-', e: '-' } })
  expect(contract.match('GET', `/v1/mixed/${'a-'.repeat(3)}${'-a'.repeat(3)}`).kind).toBe('operation')
  expect(contract.match('GET', `/v1/mixed/${'-a'.repeat(100_000)}/`).kind).toBe('unknown-path')
})

test('match does not throw, whatever the method and path', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (method, path) => contract.match(method, `/v1/${path}`).kind !== undefined),
  )
})
