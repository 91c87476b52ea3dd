/** Start-up checks of an OpenAPI document, one aspect a file; `contract/load.ts` has their order. */
import { isObject, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import type { Source } from '../../../base/documents/source.ts'
import { listOperations } from '../operation.ts'
import { resolve } from '../resolve.ts'
import { listOtherSchemes } from '../security.ts'
import { checkSimulatedStatus, simulatedStatus } from '../simulated-status.ts'
import { type DocumentNode, METHODS, walk } from '../walk.ts'
import { checkDialect } from './dialect.ts'
import { type DocumentFault, error, warning } from './fault.ts'

const SUPPORTED_STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

const conversion =
  'To convert it, write "openapi: 3.1.0", "type: [string, \'null\']" for "nullable: true", ' +
  'a number for "exclusiveMinimum: true", and "examples: [...]" for "example" in schemas'

/** Checks that a document is OpenAPI 3.1 or 3.2. After a finding, no other check makes sense. */
export function checkVersion({ openapi, swagger, rules }: JsonObject): DocumentFault[] {
  if (typeof openapi === 'string' && /^3\.[12](\.\d+)?$/.test(openapi)) return []
  const version = openapi ?? swagger
  if (version === undefined) {
    const message =
      rules !== undefined
        ? 'is a file of scenario rules, and no OpenAPI document; give it with --rules'
        : 'is not an OpenAPI document: "openapi: 3.1.0" is expected at its top'
    return [error('/openapi', message)]
  }
  const is30 = typeof openapi === 'string' && openapi.startsWith('3.0')
  const convert = is30 ? conversion : 'Convert it to 3.1 with a converter'
  const message = `is OpenAPI ${version}; only 3.1 and 3.2 are understood. ${convert}`
  return [error(openapi === undefined ? '/swagger' : '/openapi', message)]
}

/** Checks that a valid document can be simulated: a server, operations with a 2xx status, unique ids and paths. */
export function* checkRequirements(document: JsonObject, source: Source): Generator<DocumentFault> {
  const { jsonSchemaDialect: dialect, openapi } = document
  yield* checkDialect('/jsonSchemaDialect', dialect)
  if (readBasePath(document) === undefined) {
    const message = 'needs a first server with a URL; its path is where the API is served: "servers: [{url: /v1}]"'
    yield error('/servers/0/url', message)
  }
  if (String(openapi).startsWith('3.2')) {
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
  const served = listOperations(document).map(({ item, method }) => joinPointer(item, method))
  if (served.length === 0) yield error('/paths', 'describes no operation')
  const described = [...walk(document)].filter(
    ({ kind, pointer }) => kind === 'operation' && pointer.startsWith('/paths/'),
  )
  const firstPointers = new Map<unknown, string>()
  for (const pointer of new Set([...described.map(({ pointer }) => pointer), ...served])) {
    const value = resolve(document, pointer)?.value ?? {}
    const { operationId: id, responses } = value
    if (!isObject(responses) || !Object.keys(responses).some((status) => /^2(\d\d|XX)$/i.test(status)))
      yield error(pointer, 'has no 2xx response, so its success status is unknown')
    const problem = checkSimulatedStatus(value)
    if (problem !== undefined) yield error(joinPointer(pointer, simulatedStatus), problem)
    const first = firstPointers.get(id)
    const idPointer = joinPointer(pointer, 'operationId')
    if (first !== undefined)
      yield error(idPointer, `the operationId "${id}" is taken already at ${source.place(first)}`)
    else if (id !== undefined) firstPointers.set(id, idPointer)
  }
}

/** Warns about parts that are ignored: members beside a `$ref`, cookies, unknown styles, bodies of several parts. */
function* findUnchecked({ kind, pointer, value }: DocumentNode): Generator<DocumentFault> {
  if (kind === 'pathItem') yield* findIgnoredMembers(pointer, value)
  if (kind === 'parameter') {
    const { in: location, style } = value
    if (location === 'cookie') yield warning(joinPointer(pointer, 'in'), 'parameters in cookies are ignored')
    if (typeof style === 'string' && !SUPPORTED_STYLES.includes(style))
      yield warning(
        joinPointer(pointer, 'style'),
        `the style "${style}" is not understood; the parameter is read as plain text`,
      )
  }
  if (kind !== 'requestBody' || !isObject(value.content)) return
  for (const mediaType of Object.keys(value.content))
    if (mediaType.toLowerCase().startsWith('multipart/'))
      yield warning(
        joinPointer(pointer, 'content', mediaType),
        `bodies of the type ${mediaType} are accepted unchecked`,
      )
}

function* findIgnoredMembers(pointer: string, pathItem: JsonObject): Generator<DocumentFault> {
  for (const name of [...METHODS, 'parameters'])
    if ('$ref' in pathItem && name in pathItem)
      yield warning(joinPointer(pointer, name), 'is ignored, because the path item refers to another one with $ref')
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
