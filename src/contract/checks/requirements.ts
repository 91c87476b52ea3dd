/** Start-up checks of an OpenAPI document, one aspect a file; `contract/load.ts` has their order. */
import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import { errorAt, type Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { listOtherSchemes } from '../security.ts'
import { checkSimulatedStatus, simulatedStatus } from '../simulated-status.ts'
import { METHODS, walk } from '../walk.ts'

/** The values of `jsonSchemaDialect` that stand for JSON Schema 2020-12, the only supported dialect and the default. */
const SUPPORTED_DIALECTS = [
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
  'https://spec.openapis.org/oas/3.2/dialect/2025-09-17',
  'https://spec.openapis.org/oas/3.2/dialect/2026-02-26',
]

const SUPPORTED_STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

const conversion =
  'To convert it, write "openapi: 3.1.0", "type: [string, \'null\']" for "nullable: true", ' +
  'a number for "exclusiveMinimum: true", and "examples: [...]" for "example" in schemas'

/** Checks that a document is OpenAPI 3.1 or 3.2. After a finding, no other check makes sense. */
export function checkVersion({ openapi, swagger, rules }: JsonObject, source: Source): Finding[] {
  if (typeof openapi === 'string' && /^3\.[12](\.\d+)?$/.test(openapi)) return []
  const version = openapi ?? swagger
  if (version === undefined) {
    const message =
      rules !== undefined
        ? 'is a file of scenario rules, and no OpenAPI document; give it with --rules'
        : 'is not an OpenAPI document: "openapi: 3.1.0" is expected at its top'
    return [errorAt(source.place('/openapi'), message)]
  }
  const is30 = typeof openapi === 'string' && openapi.startsWith('3.0')
  const convert = is30 ? conversion : 'Convert it to 3.1 with a converter'
  const message = `is OpenAPI ${version}; only 3.1 and 3.2 are understood. ${convert}`
  return [errorAt(source.place(openapi === undefined ? '/swagger' : '/openapi'), message)]
}

/** Checks that a valid document can be simulated: a server, operations with a 2xx status, unique ids and paths. */
export function checkRequirements(document: JsonObject, source: Source): Finding[] {
  const operations = [...walk(document)].filter(
    ({ kind, pointer }) => kind === 'operation' && pointer.startsWith('/paths/'),
  )
  const findings: Finding[] = [...checkDialect(document, source), ...checkServer(document, source)]
  if (String(document.openapi).startsWith('3.2')) {
    const message = 'is OpenAPI 3.2, and served as 3.1: of what 3.2 adds, only "dataValue" of examples is used'
    findings.push({ severity: 'info', place: source.place('/openapi'), message })
  }
  if (operations.length === 0) findings.push(errorAt(source.place('/paths'), 'describes no operation'))
  const firstPlaces = new Map<unknown, string>()
  for (const { pointer, value } of operations) {
    findings.push(...checkSuccess(pointer, value, source))
    const problem = checkSimulatedStatus(value)
    if (problem !== undefined) findings.push(errorAt(source.place(joinPointer(pointer, simulatedStatus)), problem))
    const id = value.operationId
    if (id === undefined) continue
    const first = firstPlaces.get(id)
    const place = source.place(joinPointer(pointer, 'operationId'))
    if (first === undefined) firstPlaces.set(id, place)
    else findings.push(errorAt(place, `the operationId "${id}" is taken already at ${first}`))
  }
  const checks = [checkPaths, checkParameters, checkBodies, checkSecurity]
  return [...findings, ...checks.flatMap((check) => check(document, source))]
}

/** Warns about parameters that are ignored, and about styles that are read as plain text. */
function checkParameters(document: JsonObject, source: Source): Finding[] {
  const findings: Finding[] = []
  for (const { kind, pointer, value } of walk(document)) {
    if (kind !== 'parameter') continue
    const warn = (member: string, message: string) =>
      findings.push({ severity: 'warning', place: source.place(joinPointer(pointer, member)), message })
    if (value.in === 'cookie') warn('in', 'parameters in cookies are ignored')
    if (typeof value.style === 'string' && !SUPPORTED_STYLES.includes(value.style)) {
      warn('style', `the style "${value.style}" is not understood; the parameter is read as plain text`)
    }
  }
  return findings
}

/** Warns about security schemes that are not checked. */
function checkSecurity(document: JsonObject, source: Source): Finding[] {
  return listOtherSchemes(document).map(({ name, pointer }) => {
    const message = `credentials of the scheme "${name}" are not checked; only bearer tokens are`
    return { severity: 'warning', place: source.place(pointer), message }
  })
}

/** Warns about request bodies of several parts, which are not checked. */
function checkBodies(document: JsonObject, source: Source): Finding[] {
  return [...walk(document)].flatMap(({ kind, pointer, value }) => {
    const content = kind === 'requestBody' && isObject(value.content) ? Object.keys(value.content) : []
    return content
      .filter((mediaType) => mediaType.toLowerCase().startsWith('multipart/'))
      .map((mediaType): Finding => {
        const place = source.place(joinPointer(pointer, 'content', mediaType))
        return { severity: 'warning', place, message: `bodies of the type ${mediaType} are accepted unchecked` }
      })
  })
}

function checkDialect({ jsonSchemaDialect: dialect }: JsonObject, source: Source): Finding[] {
  if (SUPPORTED_DIALECTS.some((known) => known === dialect)) return []
  const message = `the dialect "${dialect}" is not known; schemas are read as JSON Schema 2020-12`
  return [{ severity: 'warning', place: source.place('/jsonSchemaDialect'), message }]
}

function checkServer(document: JsonObject, source: Source): Finding[] {
  if (readBasePath(document) !== undefined) return []
  const message = 'needs a first server with a URL; its path is where the API is served: "servers: [{url: /v1}]"'
  return [errorAt(source.place('/servers/0/url'), message)]
}

function checkSuccess(pointer: string, { responses }: JsonObject, source: Source): Finding[] {
  if (isObject(responses) && Object.keys(responses).some((status) => /^2(\d\d|XX)$/i.test(status))) return []
  return [errorAt(source.place(pointer), 'has no 2xx response, so its success status is unknown')]
}

/** Refuses path templates that differ only in the names of their parameters, because they match the same paths. */
function checkPaths({ paths }: JsonObject, source: Source): Finding[] {
  if (!isObject(paths)) return []
  const firstPaths = new Map<string, string>()
  const findings: Finding[] = []
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item) || !METHODS.some((method) => method in item)) continue
    const anonymousPath = path.replace(/\{[^{}]*\}/g, '{}')
    const first = firstPaths.get(anonymousPath)
    if (first === undefined) firstPaths.set(anonymousPath, path)
    else {
      const message = `the path ${path} cannot be told apart from ${first}`
      findings.push(errorAt(source.place(joinPointer('/paths', path)), message))
    }
  }
  return findings
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
