/** Start-up checks of an OpenAPI document, one aspect a file; `contract/load.ts` has their order. */
import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Source } from '../../../base/documents/source.ts'
import { anonymousPath } from '../match.ts'
import { isCheckedText, isJson } from '../media-types.ts'
import { listOperations, simulatedStatus } from '../operation.ts'
import { Shape } from '../request/shape.ts'
import { resolve } from '../resolve.ts'
import { schemePointer } from '../security.ts'
import { readServerPath } from '../servers.ts'
import { type DocumentNode, METHODS, walk } from '../walk.ts'
import { type DocumentFault, error, warning } from './fault.ts'

/** JSON Schema 2020-12 and the dialects that stand for it, the only supported ones. */
const SUPPORTED_DIALECT =
  /^https:\/\/(json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.[12]\/dialect\/[\w-]+)$/

/**
 * Writes the version of a document in full: YAML reads one without quotes as a number. Returns the fault of a version
 * that is not served, after which no other check makes sense.
 */
export function checkVersion(document: JsonObject): DocumentFault | undefined {
  const { openapi, swagger, rules } = document
  const member = openapi === undefined && swagger !== undefined ? 'swagger' : 'openapi'
  const version = writeVersion(document)
  if (version !== undefined) document[member] = version
  if (version !== undefined) return undefined
  if (document[member] !== undefined)
    return error(`/${member}`, `is OpenAPI ${document[member]}; only 2.0, 3.0, 3.1 and 3.2 are understood`)
  return error(
    '/openapi',
    rules === undefined
      ? 'is not an OpenAPI document: "openapi: 3.1.0" is expected at its top'
      : 'is a file of scenario rules, and no OpenAPI document; give it with --rules',
  )
}

function writeVersion({ openapi, swagger }: JsonObject): string | undefined {
  if (openapi === undefined) return /^2(\.0)?$/.test(String(swagger)) ? '2.0' : undefined
  const [, version, patch = '.0'] = /^(3\.[012])(\.\d.*)?$/.exec(openapi === 3 ? '3.0' : String(openapi)) ?? []
  return version && version + patch
}

/** Checks that a valid document can be simulated: operations with a 2xx status, unique ids and paths. */
export function* checkRequirements(document: JsonObject, source: Source): Generator<DocumentFault> {
  if (String(document.openapi).startsWith('3.2')) {
    const message = 'is OpenAPI 3.2, and served as 3.1: of what 3.2 adds, only examples and "itemSchema" are used'
    yield { severity: 'info', pointer: '/openapi', message }
  }
  yield* checkOperations(document, source)
  yield* checkPaths(document)
  for (const node of walk(document)) yield* findUnchecked(document, node)
}

const NO_OPERATION =
  'describes no operation, so there is nothing to serve; webhooks are requests that the API itself sends'

function* checkOperations(document: JsonObject, source: Source): Generator<DocumentFault> {
  const operations = listOperations(document).map(({ item, method }) => joinPointer(item, method))
  if (operations.length === 0) yield error('/paths', NO_OPERATION)
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
  Object.keys(isObject(responses) ? responses : {}).filter((status) => /^(2(\d\d|XX)|default)$/i.test(status))

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

/** Warns of parts that are ignored: members beside a `$ref`, bodies in other types, dialects, undefined schemes. */
function* findUnchecked(document: JsonObject, { kind, pointer, value }: DocumentNode): Generator<DocumentFault> {
  const at = (...tokens: string[]) => joinPointer(pointer, ...tokens)
  if (kind === 'pathItem') yield* findUnserved(pointer, value)
  if (['document', 'pathItem', 'operation'].includes(kind)) yield* checkServers(at('servers'), value.servers)
  if (kind === 'requestBody') yield* findUncheckedBodies(document, pointer, value)
  if (kind === 'document' || kind === 'operation') yield* findUndefinedSchemes(document, at('security'), value.security)
  if (kind === 'document') yield* checkDialect(at('jsonSchemaDialect'), value.jsonSchemaDialect)
  if (kind === 'schema') yield* checkDialect(at('$schema'), value.$schema)
  if (kind === 'securityScheme' && value.type === 'mutualTLS')
    yield warning(pointer, 'client certificates are not checked')
}

function* findUnserved(pointer: string, item: JsonObject): Generator<DocumentFault> {
  for (const name of ['query', 'additionalOperations'].filter((one) => one in item))
    yield warning(joinPointer(pointer, name), `"${name}" is not served; only ${METHODS.join(', ')} are`)
  const ignored = '$ref' in item ? [...METHODS, 'parameters'].filter((name) => name in item) : []
  for (const name of ignored)
    yield warning(joinPointer(pointer, name), 'is ignored, because the path item refers to another one with $ref')
}

function* findUncheckedBodies(document: JsonObject, pointer: string, { content = {} }: JsonObject) {
  for (const mediaType of Object.keys(content ?? {}).filter((type) => !isJson(type))) {
    const media = joinPointer(pointer, 'content', mediaType)
    const schema = resolve(document, joinPointer(media, 'schema'))
    if (schema && !isCheckedText(mediaType, new Shape(document, [schema.value])))
      yield warning(media, `bodies of the type ${mediaType} are accepted unchecked`)
  }
}

function* findUndefinedSchemes(document: JsonObject, pointer: string, security: Json | undefined) {
  for (const [index, names] of Array.isArray(security) ? security.entries() : [])
    for (const name of Object.keys(names ?? {}).filter((one) => resolve(document, schemePointer(one)) === undefined)) {
      const message = `the scheme "${name}" is not defined in components.securitySchemes; it demands no credential`
      yield warning(joinPointer(pointer, index, name), message)
    }
}

function* checkServers(pointer: string, servers: Json | undefined): Generator<DocumentFault> {
  if (Array.isArray(servers) && servers.length > 0 && readServerPath(servers[0]) === undefined)
    yield warning(`${pointer}/0/url`, 'is not a usable URL, so the API is served under "/"')
}

function* checkDialect(pointer: string, dialect: Json | undefined): Generator<DocumentFault> {
  if (typeof dialect === 'string' && !SUPPORTED_DIALECT.test(dialect))
    yield warning(pointer, `the dialect "${dialect}" is not known; schemas are read as JSON Schema 2020-12`)
}

/** Refuses methods of path templates that differ only in the names of their parameters: they match the same paths. */
function* checkPaths(document: JsonObject): Generator<DocumentFault> {
  for (const group of groupBy(listOperations(document), ({ path }) => anonymousPath(path)).values()) {
    const [first, ...others] = new Set(group.map(({ path }) => path))
    for (const path of others) {
      const methods = group.filter((one) => one.path === path).map(({ method }) => method)
      const isTaken = group.some((one) => one.path !== path && methods.includes(one.method))
      if (isTaken) yield error(joinPointer('/paths', path), `the path ${path} cannot be told apart from ${first}`)
      else yield warning(joinPointer('/paths', path), `is the path ${first} with other names; its methods are added`)
    }
  }
}
