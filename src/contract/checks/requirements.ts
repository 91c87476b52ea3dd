import { isObject, type JsonObject } from '../../core/json.ts'
import { joinPointer } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { METHODS, walk } from '../walk.ts'

/** The dialects that mean JSON Schema 2020-12, which is what schemas are read as. */
const DIALECTS = [
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]

/** The ways of writing a parameter that are understood. */
const STYLES = ['simple', 'form', 'spaceDelimited', 'pipeDelimited']

/** Whether this is a document that we understand at all; if not, there is no point in looking further. */
export function checkVersion({ openapi, swagger }: JsonObject, source: Source): Finding[] {
  if (typeof openapi === 'string' && /^3\.1(\.\d+)?$/.test(openapi)) return []
  const place = source.place(openapi === undefined && swagger !== undefined ? '/swagger' : '/openapi')
  const version = openapi ?? swagger
  if (version === undefined) {
    return [
      {
        severity: 'error',
        place,
        message: 'is not an OpenAPI document: "openapi: 3.1.0" is expected at its top',
      },
    ]
  }
  const convert =
    typeof openapi === 'string' && openapi.startsWith('3.0')
      ? `To convert it, write "openapi: 3.1.0", "type: [string, 'null']" for "nullable: true", a number for "exclusiveMinimum: true", and "examples: [...]" for "example" in schemas`
      : 'Convert it to 3.1 with a converter'
  return [{ severity: 'error', place, message: `is OpenAPI ${version}; only 3.1 is understood. ${convert}` }]
}

/** What a document needs beyond being valid OpenAPI, so that it can be simulated: a server, operations, names that are unique. */
export function checkRequirements(document: JsonObject, source: Source): Finding[] {
  const operations = [...walk(document)].filter(
    ({ kind, pointer }) => kind === 'operation' && pointer.startsWith('/paths/'),
  )
  const findings: Finding[] = [...checkDialect(document, source), ...checkServer(document, source)]
  if (operations.length === 0) {
    findings.push({ severity: 'error', place: source.place('/paths'), message: 'describes no operation' })
  }
  const seen = new Map<unknown, string>()
  for (const { pointer, value } of operations) {
    findings.push(...checkSuccess(pointer, value, source))
    const id = value.operationId
    if (id === undefined) continue
    const first = seen.get(id)
    const own = joinPointer(pointer, 'operationId')
    if (first === undefined) seen.set(id, own)
    else {
      const message = `the operationId "${id}" is taken already at ${source.place(first)}`
      findings.push({ severity: 'error', place: source.place(own), message })
    }
  }
  return [...findings, ...checkPaths(document, source), ...checkParameters(document, source)]
}

/** Parameters of kinds that are passed over, or taken as the plain text that they are. */
function checkParameters(document: JsonObject, source: Source): Finding[] {
  const findings: Finding[] = []
  for (const { kind, pointer, value } of walk(document)) {
    if (kind !== 'parameter') continue
    const warn = (member: string, message: string) =>
      findings.push({ severity: 'warning', place: source.place(joinPointer(pointer, member)), message })
    if (value.in === 'cookie') warn('in', 'parameters in cookies are not read, nor missed')
    if (typeof value.style === 'string' && !STYLES.includes(value.style)) {
      warn('style', `the style "${value.style}" is not understood; the parameter is read as plain text`)
    }
  }
  return findings
}

function checkDialect({ jsonSchemaDialect: dialect }: JsonObject, source: Source): Finding[] {
  if (DIALECTS.some((known) => known === dialect)) return []
  const message = `the dialect "${dialect}" is not known; schemas are read as JSON Schema 2020-12`
  return [{ severity: 'warning', place: source.place('/jsonSchemaDialect'), message }]
}

function checkServer(document: JsonObject, source: Source): Finding[] {
  if (basePathOf(document) !== undefined) return []
  const message =
    'needs a first server with a URL; its path is where the API is served: "servers: [{url: /v1}]"'
  return [{ severity: 'error', place: source.place('/servers/0/url'), message }]
}

function checkSuccess(pointer: string, { responses }: JsonObject, source: Source): Finding[] {
  if (isObject(responses) && Object.keys(responses).some((status) => /^2(\d\d|XX)$/i.test(status))) return []
  const message = 'has no 2xx response, so there is no telling what success looks like'
  return [{ severity: 'error', place: source.place(pointer), message }]
}

/** Two templates that differ only in the names of their parameters cannot be told apart. */
function checkPaths({ paths }: JsonObject, source: Source): Finding[] {
  if (!isObject(paths)) return []
  const seen = new Map<string, string>()
  const findings: Finding[] = []
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item) || !METHODS.some((method) => method in item)) continue
    const shape = path.replace(/\{[^}]*\}/g, '{}')
    const first = seen.get(shape)
    if (first === undefined) seen.set(shape, path)
    else {
      const message = `the path ${path} cannot be told apart from ${first}`
      findings.push({ severity: 'error', place: source.place(joinPointer('/paths', path)), message })
    }
  }
  return findings
}

/** The path of the first server URL, without a trailing slash; undefined where there is no usable URL. */
export function basePathOf({ servers }: JsonObject): string | undefined {
  const server = Array.isArray(servers) ? servers[0] : undefined
  if (!isObject(server) || typeof server.url !== 'string') return undefined
  const variables = isObject(server.variables) ? server.variables : {}
  const url = server.url.replace(/\{([^}]*)\}/g, (all, name: string) => {
    const variable = variables[name]
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : all
  })
  // Relative server URLs are allowed; only the path matters, so any origin will do.
  if (!URL.canParse(url, 'http://localhost')) return undefined
  return new URL(url, 'http://localhost').pathname.replace(/\/+$/, '')
}
