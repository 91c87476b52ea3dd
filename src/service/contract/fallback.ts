import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { parseReference, toFragment } from '../../base/core/json-pointer.ts'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import type { Contract, Operation } from './contract.ts'
import { type METHODS, mapNodes, type NodeKind } from './walk.ts'

/** A request for an operation that the document describes and that has no handler. */
interface FallbackRequest {
  readonly operation: Operation
  /** The path without the base path, percent-encoding untouched: `/products/42`. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
  /** The documented status to reply with; undefined for the success status. */
  readonly status?: number | undefined
}

interface FallbackReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the document describes no body. */
  readonly body: Json | undefined
}

/** Replies to a request for an operation without a handler; the error is a sentence of Prism, if it finds no reply. */
export type Fallback = (request: FallbackRequest) => Promise<Result<FallbackReply>>

interface FallbackProblem {
  readonly isPrismMissing: boolean
  readonly message: string
}

/** The command that installs Prism in a project. A test compares the version with that of package.json. */
const INSTALL_PRISM = 'npm install --save-dev @stoplight/prism-http@5.12.0'

/** The preferred media types of a reply, in order. The caller's `Accept` header has no influence. */
const MEDIA_TYPES = ['application/json', 'application/*', '*/*']

/** The pipeline validates the request before the fallback and the reply after it, so Prism validates nothing. */
const CONFIG = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
} as const

/**
 * Creates the fallback: `@stoplight/prism-http` as a mock. Only this function loads Prism, which takes a second and 95
 * MB.
 *
 * The same request gets the same bytes: an example of the document unchanged, or else a body from Prism's sampler. The
 * sampler ignores patterns; if its body breaks the schema, Prism's generator makes another, seeded by the request.
 *
 * @returns an error, with the command that installs Prism if it cannot be loaded
 */
export async function createFallback(contract: Contract): Promise<Result<Fallback, FallbackProblem>> {
  const loaded = await attempt(async () => (await import('@stoplight/prism-http')).default)
  if (!loaded.ok) return failure({ isPrismMissing: true, message: describeMissing(loaded.error) })
  const prism = loaded.value
  const { default: pino } = await import('pino')
  // Prism calls `logger.success`, which pino does not have, in each request.
  const silent = pino.pino({ level: 'silent' }, { write: () => undefined })
  const logger = Object.assign(silent, { success: () => undefined })
  const read = await attempt(() => prism.getHttpOperationsFromSpec(documentForPrism(contract.document)))
  if (!read.ok) return failure({ isPrismMissing: false, message: `Prism cannot read the document: ${read.error}` })
  // Prism would send requests to callbacks.
  const operations = read.value.map(({ callbacks: _, ...operation }) => operation)
  const instance = prism.createInstance({ ...CONFIG, mock: { dynamic: false } }, { logger })

  const mock = async (request: FallbackRequest, seed?: string): Promise<Result<FallbackReply>> => {
    // New options for each request, because Prism writes into them.
    const options = { dynamic: seed !== undefined, mediaTypes: [...MEDIA_TYPES], ...(seed !== undefined && { seed }) }
    const { status } = request
    const config = { ...CONFIG, mock: { ...options, ...(status !== undefined && { code: status }) } }
    const outcome = await attempt(() => instance.request(toPrismRequest(request), operations, config)())
    // Prism stores the seed in a generator that the whole process shares.
    if (seed !== undefined) prism.resetJSONSchemaGenerator()
    if (!outcome.ok) return outcome
    if (outcome.value._tag === 'Left') return failure(outcome.value.left.message)
    return success(readOutput(outcome.value.right.output))
  }
  return success(async (request) => {
    const tooLarge = describeTooLarge(request.operation, request.status)
    if (tooLarge !== undefined) return failure(tooLarge)
    const sampled = await mock(request)
    if (isValid(request, sampled)) return sampled
    const generated = await mock(request, `${request.operation.method} ${request.path}`)
    return isValid(request, generated) ? generated : sampled
  })
}

/** Returns the result of Prism's work: Prism and its libraries throw for documents that they do not expect. */
async function attempt<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return success(await work())
  } catch (error) {
    return failure(reasonOf(error))
  }
}

/** The npm package does not contain Prism, because it is larger than the rest and few documents need it. */
function describeMissing(error: string): string {
  const [reason = ''] = error.split('\n') // the other lines list the files that required it
  return `Prism cannot be loaded (${reason}). Install it beside the simulator: ${INSTALL_PRISM}`
}

/** Returns why a response of an operation is not generated: it would be too large; undefined if it can be. */
export function describeTooLarge(operation: Operation, status: number = operation.successStatus): string | undefined {
  if (operation.examples(status).length > 0 || leastSize(operation.responseSchema(status)) <= maxGenerated) return
  return (
    `${operation.id}: the schema of ${status} asks for more than ${maxGenerated.toLocaleString('en')} values, ` +
    'the most that are generated. Add an example to the document, which is sent instead'
  )
}

/** The most values of a response that is generated from its schema: Prism takes 0.7 s for it, and nothing else runs. */
const maxGenerated = 10_000

/** The length of a text that counts as one value more. */
const lengthOfValue = 100

/** Returns the least number of values in what a dereferenced schema describes, with its optional members. */
function leastSize(schema: Json | undefined): number {
  if (!isObject(schema) || ['const', 'enum', 'default', 'example', 'examples'].some((name) => name in schema)) return 1
  const { properties, items, prefixItems, allOf, anyOf, oneOf } = schema
  const sizes = (list: Json | undefined) => (Array.isArray(list) ? list.map(leastSize) : [])
  const members = isObject(properties) ? Object.values(properties).map(leastSize) : []
  const ownItems = Math.max(1, numberOf(schema['minItems'])) * leastSize(items)
  return [
    numberOf(schema['minLength']) / lengthOfValue,
    numberOf(schema['minProperties']),
    ...members,
    ...(items === undefined ? [numberOf(schema['minItems'])] : [ownItems]),
    ...sizes(prefixItems),
    ...sizes(allOf),
    ...[anyOf, oneOf].filter(Array.isArray).map((list) => Math.min(...sizes(list))),
  ].reduce((sum, size) => sum + size, 1)
}

const numberOf = (value: Json | undefined) => (typeof value === 'number' ? value : 0)

/**
 * Returns a copy whose only references are those that were checked, which lead into the document: Prism takes each
 * `$ref` for one, follows it to files and addresses, and resolves it in place. In data it gets another name.
 */
function documentForPrism(document: JsonObject): JsonObject {
  const copy = (kind: NodeKind, value: JsonObject): JsonObject =>
    mapNodes(kind, value, copy, (data, name) => {
      if (name === '$ref') return toFragment(parseReference(String(data)) ?? '')
      const isSchemaKeyword = kind === 'schema' && name.startsWith('$') // `$id` and others would change references
      return isSchemaKeyword ? undefined : renameMembers(data, (member) => member.replace(/^\0*\$ref$/, '\0$&'))
    })
  // It knows no 3.2; what that adds is not used.
  return { ...copy('document', document), openapi: '3.1.0' }
}

function renameMembers(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => renameMembers(item, rename))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), renameMembers(item, rename)]))
}

function toPrismRequest({ operation, path, query, headers, body }: FallbackRequest) {
  return {
    method: operation.method.toLowerCase() as (typeof METHODS)[number], // as in the document
    url: { path, query: structuredClone(query) as Record<string, string | string[]> }, // a copy that Prism may change
    headers: { ...headers },
    ...(body !== undefined && { body }),
  }
}

function readOutput(output: { statusCode: number; headers?: object; body?: unknown }): FallbackReply {
  const isText = (value: unknown) => value !== undefined && typeof value !== 'object'
  // Prism gives null for a header that has neither example nor schema, and an example as it is.
  const headers = Object.entries(output.headers ?? {}).filter(([, value]) => isText(value))
  const lowerCase = headers.map(([name, value]) => [name.toLowerCase(), String(value)])
  return { status: output.statusCode, headers: Object.fromEntries(lowerCase), body: asJsonValue(output.body) }
}

/** Converts a value to JSON, with its `$ref`; drops members that JSON cannot encode. Undefined stays undefined. */
function asJsonValue(value: unknown): Json | undefined {
  if (value === undefined) return undefined
  const json: Json = JSON.parse(JSON.stringify(value))
  return renameMembers(json, (name) => name.replace(/^\0(?=\0*\$ref$)/, ''))
}

function isValid({ operation }: FallbackRequest, reply: Result<FallbackReply>): boolean {
  if (!reply.ok) return false
  const { status, body } = reply.value
  return body === undefined || operation.checkResponse(status, body).length === 0
}
