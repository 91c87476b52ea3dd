/** Start-up checks of an OpenAPI document, one aspect a file; `contract/load.ts` has their order. */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Source } from '../../../base/documents/source.ts'
import { listOperations, simulatedStatus } from '../operation.ts'
import { resolve } from '../resolve.ts'
import { listOtherSchemes } from '../security.ts'
import { type DocumentNode, METHODS, walk } from '../walk.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/** JSON Schema 2020-12 and the dialects that stand for it, the only supported ones. */
const SUPPORTED_DIALECT =
  /^https:\/\/(json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/[\w-]+)$/

const SUPPORTED_STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

const conversion =
  'To convert it, write "openapi: 3.1.0", "type: [string, \'null\']" for "nullable: true", ' +
  'a number for "exclusiveMinimum: true", and "examples: [...]" for "example" in schemas'

/** Returns the fault of a document that is not OpenAPI 3.1 or 3.2, after which no other check makes sense. */
export function checkVersion({ openapi, swagger, rules }: JsonObject): DocumentFault | undefined {
  if (typeof openapi === 'string' && /^3\.[12](\.\d+)?$/.test(openapi)) return undefined
  const version = openapi ?? swagger
  if (version !== undefined) {
    const convert = String(openapi).startsWith('3.0') ? conversion : 'Convert it to 3.1 with a converter'
    const message = `is OpenAPI ${version}; only 3.1 and 3.2 are understood. ${convert}`
    return error(openapi === undefined ? '/swagger' : '/openapi', message)
  }
  return error(
    '/openapi',
    rules === undefined
      ? 'is not an OpenAPI document: "openapi: 3.1.0" is expected at its top'
      : 'is a file of scenario rules, and no OpenAPI document; give it with --rules',
  )
}

/** Checks that a valid document can be simulated: a server, operations with a 2xx status, unique ids and paths. */
export function* checkRequirements(document: JsonObject, source: Source): Generator<DocumentFault> {
  if (readBasePath(document) === undefined) {
    const message = 'needs a first server with a URL; its path is where the API is served: "servers: [{url: /v1}]"'
    yield error('/servers/0/url', message)
  }
  if (String(document.openapi).startsWith('3.2')) {
    const message = 'is OpenAPI 3.2, and served as 3.1: of what 3.2 adds, only "dataValue" of examples is used'
    yield { severity: 'info', pointer: '/openapi', message }
  }
  yield* checkOperations(document, source)
  yield* checkPaths(document)
  for (const node of walk(document)) yield* findUnchecked(node)
  for (const { name, pointer } of listOtherSchemes(document))
    yield warning(pointer, `credentials of the scheme "${name}" are not checked; only bearer tokens are`)
}

function* checkOperations(document: JsonObject, source: Source): Generator<DocumentFault> {
  const operations = listOperations(document).map(({ item, method }) => joinPointer(item, method))
  if (operations.length === 0) yield error('/paths', 'describes no operation')
  const firstPointers = new Map<unknown, string>()
  for (const pointer of new Set(operations)) {
    const value = resolve(document, pointer)?.value ?? {}
    const { operationId: id } = value
    if (listSuccesses(value).length === 0)
      yield warning(pointer, 'has no 2xx response; another one that it documents is sent')
    const problem = checkSimulatedStatus(value)
    if (problem !== undefined) yield error(joinPointer(pointer, simulatedStatus), problem)
    const first = firstPointers.get(id)
    const idPointer = joinPointer(pointer, 'operationId')
    if (first !== undefined)
      yield warning(
        idPointer,
        `the operationId "${id}" is taken already at ${source.place(first)}; this operation is called by its path`,
      )
    else if (id !== undefined) firstPointers.set(id, idPointer)
  }
}

const listSuccesses = ({ responses }: JsonObject) =>
  Object.keys(isObject(responses) ? responses : {}).filter((status) => /^2(\d\d|XX)$/i.test(status))

function checkSimulatedStatus(operation: JsonObject): string | undefined {
  const { [simulatedStatus]: chosen = {} } = operation
  const documented = listSuccesses(operation).filter((status) => /^\d+$/.test(status))
  const isValid = ([outcome, status]: [string, Json]) =>
    ['success', 'dropped'].includes(outcome) && documented.includes(String(status))
  if (isObject(chosen) && Object.entries(chosen).every(isValid)) return undefined
  return (
    `must choose documented 2xx statuses for success or dropped, such as { success: ${documented[0] ?? 200} }; ` +
    `documented are ${documented.join(', ') || 'none'}`
  )
}

/** Warns of parts that are ignored: members beside a `$ref`, bodies of several parts, dialects, cookies, styles. */
function* findUnchecked({ kind, pointer, value }: DocumentNode): Generator<DocumentFault> {
  const at = (...tokens: string[]) => joinPointer(pointer, ...tokens)
  const members = kind === 'pathItem' && '$ref' in value ? [...METHODS, 'parameters'] : []
  for (const name of members.filter((one) => one in value))
    yield warning(at(name), 'is ignored, because the path item refers to another one with $ref')
  const mediaTypes = kind === 'requestBody' && isObject(value.content) ? Object.keys(value.content) : []
  for (const mediaType of mediaTypes.filter((one) => /^multipart\//i.test(one)))
    yield warning(at('content', mediaType), `bodies of the type ${mediaType} are accepted unchecked`)
  if (kind === 'document') yield* checkDialect(at('jsonSchemaDialect'), value.jsonSchemaDialect)
  if (kind === 'schema') yield* checkDialect(at('$schema'), value.$schema)
  if (kind === 'parameter') yield* findUncheckedParameter(pointer, value)
}

function* checkDialect(pointer: string, dialect: Json | undefined): Generator<DocumentFault> {
  if (typeof dialect === 'string' && !SUPPORTED_DIALECT.test(dialect))
    yield warning(pointer, `the dialect "${dialect}" is not known; schemas are read as JSON Schema 2020-12`)
}

function* findUncheckedParameter(pointer: string, { in: location, style }: JsonObject): Generator<DocumentFault> {
  if (location === 'cookie') yield warning(joinPointer(pointer, 'in'), 'parameters in cookies are ignored')
  if (typeof style === 'string' && !SUPPORTED_STYLES.includes(style)) {
    const message = `the style "${style}" is not understood; the parameter is read as plain text`
    yield warning(joinPointer(pointer, 'style'), message)
  }
}

/** Refuses path templates that differ only in the names of their parameters, because they match the same paths. */
function* checkPaths(document: JsonObject): Generator<DocumentFault> {
  const firstPaths = new Map<string, string>()
  for (const path of new Set(listOperations(document).map((operation) => operation.path))) {
    const anonymousPath = path.replace(/\{[^{}]*\}/g, '{}')
    const first = firstPaths.get(anonymousPath)
    if (first === undefined) firstPaths.set(anonymousPath, path)
    else yield error(joinPointer('/paths', path), `the path ${path} cannot be told apart from ${first}`)
  }
}

/** Returns the path of the first server URL, without a trailing slash: `/v1`; undefined if there is no usable URL. */
export function readBasePath({ servers }: JsonObject): string | undefined {
  const server = Array.isArray(servers) ? servers[0] : undefined
  if (!isObject(server) || typeof server.url !== 'string') return undefined
  const variables = isObject(server.variables) ? server.variables : {}
  const url = server.url.replace(/\{([^{}]*)\}/g, (all, name: string) => {
    const variable = variables[name]
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : all
  })
  // A server URL may be relative; the origin is not used.
  if (!URL.canParse(url, 'http://localhost')) return undefined
  return new URL(url, 'http://localhost').pathname.replace(/(?<!\/)\/+$/, '')
}
