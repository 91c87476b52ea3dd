/** Checks at startup that an OpenAPI document can be simulated. `contract/load.ts` defines the order of all checks. */
import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Source } from '../../../base/documents/source.ts'
import { isCheckedText, isJson } from '../media-types.ts'
import { anonymousPath, listOperations, simulatedStatus } from '../operation.ts'
import { Shape } from '../request/shape.ts'
import { resolve } from '../resolve.ts'
import { schemePointer } from '../security.ts'
import { readServerPath } from '../servers.ts'
import { type DocumentNode, METHODS, walk } from '../walk.ts'
import { type DocumentFlaw, error, warning } from './flaw.ts'

/** Completes the version in place (YAML may parse it as a number). Returns an error if it is missing or unsupported. */
export function checkVersion(document: JsonObject): DocumentFlaw | undefined {
  const { openapi, swagger, rules } = document
  const [, version, patch = '.0'] = /^(3\.[012])(\.\d.*)?$/.exec(openapi === 3 ? '3.0' : String(openapi)) ?? []
  if (version !== undefined) document.openapi = version + patch
  else if (openapi === undefined && /^2(\.0)?$/.test(String(swagger))) document.swagger = '2.0'
  else if (openapi !== undefined || swagger !== undefined) {
    const message = `is OpenAPI ${openapi ?? swagger}; only 2.0, 3.0, 3.1 and 3.2 are supported`
    return error(openapi === undefined ? '/swagger' : '/openapi', message)
  } else if (rules !== undefined)
    return error('/openapi', 'is a file of scenario rules, not an OpenAPI document; pass it with --rules')
  else return error('/openapi', 'is not an OpenAPI document: expected "openapi: 3.1.0" at the top')
  return undefined
}

/** Yields problems that affect a simulation, such as missing operations, duplicate IDs and paths, and ignored parts. */
export function* checkRequirements(document: JsonObject, source: Source): Generator<DocumentFlaw> {
  if (String(document.openapi).startsWith('3.2')) {
    const message =
      'is OpenAPI 3.2, served as 3.1; members that 3.2 added are ignored, except example values and "itemSchema"'
    yield { severity: 'info', pointer: '/openapi', message }
  }
  yield* checkOperations(document, source)
  yield* checkPaths(document)
  for (const node of walk(document)) yield* findIgnoredParts(document, node)
}

const NO_OPERATION =
  'has no operations, so there is nothing to serve; webhooks do not count, because the API sends them'

function* checkOperations(document: JsonObject, source: Source): Generator<DocumentFlaw> {
  const operations = listOperations(document).map(({ item, method }) => joinPointer(item, method))
  if (operations.length === 0) yield error('/paths', NO_OPERATION)
  const firstPointers = new Map<unknown, string>()
  for (const pointer of new Set(operations)) {
    const value = resolve(document, pointer)?.value ?? {}
    const { operationId: id } = value
    if (listSuccesses(value).length === 0)
      yield warning(pointer, 'has no 2xx response; its lowest status above 299 is sent, or 200 if there is none')
    const problem = checkSimulatedStatus(value)
    if (problem !== undefined) yield error(joinPointer(pointer, simulatedStatus), problem)
    const first = firstPointers.get(id)
    const idPointer = joinPointer(pointer, 'operationId')
    const duplicate = `the operationId "${id}" is already used at`
    const fallback = 'this operation is named after its method and path'
    if (first !== undefined) yield warning(idPointer, `${duplicate} ${source.locate(first)}; ${fallback}`)
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
  return `must map "success" or "dropped" to documented 2xx statuses; documented: ${documented.join(', ') || 'none'}`
}

/** Warns about ignored parts: methods, members next to a `$ref`, servers, unchecked bodies, and security schemes. */
function* findIgnoredParts(document: JsonObject, { kind, pointer, value }: DocumentNode): Generator<DocumentFlaw> {
  const warn: Warn = (message, ...tokens) => warning(joinPointer(pointer, ...tokens), message)
  const { servers, content, security } = value
  if (kind === 'pathItem') yield* findUnserved(value, warn)
  if (kind === 'requestBody' && isObject(content))
    for (const type of Object.keys(content).filter((type) => !isCheckedBody(document, type, content[type])))
      yield warn(`bodies of type ${type} are accepted without checks`, 'content', type)
  if (Array.isArray(servers) && servers.length > 0 && readServerPath(servers[0]) === undefined)
    yield warn('is not a usable URL, so the API is served under "/"', 'servers', 0, 'url')
  if (Array.isArray(security)) yield* findUndefinedSchemes(document, security, warn)
  if (kind === 'securityScheme' && value.type === 'mutualTLS') yield warn('client certificates are not checked')
}

type Warn = (message: string, ...tokens: (string | number)[]) => DocumentFlaw

function* findUnserved(item: JsonObject, warn: Warn): Generator<DocumentFlaw> {
  for (const name of ['query', 'additionalOperations'].filter((method) => method in item))
    yield warn(`"${name}" is not served; the served methods are ${METHODS.join(', ')}`, name)
  for (const name of [...METHODS, 'parameters'].filter((member) => '$ref' in item && member in item))
    yield warn('is ignored, because the path item uses $ref to refer to another path item', name)
}

function isCheckedBody(document: JsonObject, mediaType: string, media: Json | undefined): boolean {
  if (isJson(mediaType) || !isObject(media) || media.schema === undefined) return true
  return isCheckedText(mediaType, new Shape(document, [media.schema].filter(isObject)))
}

function* findUndefinedSchemes(document: JsonObject, security: readonly Json[], warn: Warn) {
  for (const [index, names] of security.entries())
    for (const name of Object.keys(names ?? {}).filter((id) => resolve(document, schemePointer(id)) === undefined)) {
      const message = `the scheme "${name}" is not defined in components.securitySchemes, so it is not required`
      yield warn(message, 'security', index, name)
    }
}

/** Warns about paths that no request can match, and about paths that differ only in parameter names. */
function* checkPaths(document: JsonObject): Generator<DocumentFlaw> {
  for (const path of Object.keys(document.paths ?? {}))
    if (/^\/.*[?#]/.test(path))
      yield warning(joinPointer('/paths', path), 'matches no request: a path cannot contain "?" or "#"')
  for (const group of groupBy(listOperations(document), ({ path }) => anonymousPath(path)).values()) {
    const [first, ...others] = new Set(group.map(({ path }) => path))
    for (const path of others) {
      const methods = group.filter((each) => each.path === path).map(({ method }) => method)
      const isTaken = group.some((each) => each.path !== path && methods.includes(each.method))
      if (isTaken) yield warning(joinPointer('/paths', path), `cannot be told apart from ${first}, which has priority`)
      else yield warning(joinPointer('/paths', path), `is merged with ${first}: only the parameter names differ`)
    }
  }
}
