import type { Json, JsonObject } from '../core/json.ts'
import type { Contract } from './contract.ts'
import { METHODS, walk } from './walk.ts'

/** A request for an operation that the document describes and nobody has written a handler for. */
export interface FallbackRequest {
  /** Upper case. */
  readonly method: string
  /** Without the base path, percent-encoding untouched: `/products/42`. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json | undefined
  /** A documented status that is wanted instead of the success. */
  readonly status?: number | undefined
  /** A documented example by its name; undefined: the first one. */
  readonly example?: string | undefined
}

/** What the document's examples and schemas make of a request; a problem where they make nothing of it. */
export type FallbackAnswer =
  | {
      readonly status: number
      /** Lower-case names. */
      readonly headers: Readonly<Record<string, string>>
      /** Undefined where no body is described. */
      readonly body: Json | undefined
    }
  | { readonly problem: string }

export interface Fallback {
  answer(request: FallbackRequest): Promise<FallbackAnswer>
}

/** What is preferred where an operation answers in several media types; the caller's `Accept` decides nothing here. */
const MEDIA_TYPES = ['application/json', 'application/*', '*/*']

/** The request was validated before it comes here, and the answer is afterwards. */
const CONFIG = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
} as const

/**
 * Makes the answers for operations without a handler: `@stoplight/prism-http`, as a mock. It takes a second and 95 MB to
 * load, so it is loaded here and only here.
 *
 * The same request gets the same bytes. An example of the document is taken as it is. Without one Prism's sampler makes a
 * body, always the same one for a schema; it knows nothing of patterns, so where its body breaks the schema Prism's
 * generator, seeded with the request, gets a try as well.
 */
export async function createFallback(contract: Contract): Promise<Fallback> {
  const [{ default: prism }, { default: pino }] = await Promise.all([
    import('@stoplight/prism-http'),
    import('pino'),
  ])
  // Prism logs at a level of its own, which children inherit; without it each request would be an exception.
  const logger = Object.assign(pino.pino({ level: 'silent' }), { success: () => undefined })
  const operations = await prism.getHttpOperationsFromSpec(documentForPrism(contract.document))
  const instance = prism.createInstance({ ...CONFIG, mock: { dynamic: false } }, { logger })

  const ask = async (request: FallbackRequest, seed?: string): Promise<FallbackAnswer> => {
    const input = inputOf(request)
    if (input === undefined) return { problem: `${request.method} is not a method of OpenAPI` }
    try {
      const config = { ...CONFIG, mock: wanted(request, seed) }
      const outcome = await instance.request(input, operations, config)()
      return outcome._tag === 'Right' ? readOutput(outcome.right.output) : { problem: outcome.left.message }
    } catch (error) {
      // It throws for what it did not expect; the caller should still have an answer.
      return { problem: error instanceof Error ? error.message : String(error) }
    } finally {
      // A seed is kept in a generator that the whole process shares.
      if (seed !== undefined) prism.resetJSONSchemaGenerator()
    }
  }
  return {
    async answer(request) {
      const sampled = await ask(request)
      if (fits(contract, request, sampled)) return sampled
      const generated = await ask(request, `${request.method} ${request.path}`)
      return fits(contract, request, generated) ? generated : sampled
    },
  }
}

/** A copy, since Prism resolves references in place, and without callbacks, which Prism would really send. */
function documentForPrism(document: JsonObject): JsonObject {
  const copy = structuredClone(document)
  for (const { kind, value } of walk(copy)) {
    if (kind === 'operation') delete value.callbacks
  }
  return copy
}

function inputOf({ method, path, query, headers, body }: FallbackRequest) {
  const known = METHODS.find((candidate) => candidate === method.toLowerCase())
  if (known === undefined) return undefined
  return {
    method: known,
    url: { path, query: structuredClone(query) as Record<string, string | string[]> }, // Prism's own to change
    headers: { ...headers },
    ...(body !== undefined && { body }),
  }
}

/** Prism writes into the configuration that it is given, so each request has its own. */
function wanted({ status, example }: FallbackRequest, seed: string | undefined) {
  return {
    dynamic: seed !== undefined,
    mediaTypes: [...MEDIA_TYPES],
    ...(status !== undefined && { code: status }),
    ...(example !== undefined && { exampleKey: example }),
    ...(seed !== undefined && { seed }),
  }
}

function readOutput(output: { statusCode: number; headers?: object; body?: unknown }): FallbackAnswer {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(output.headers ?? {})) {
    // A header without example or schema comes as null.
    if (value !== null && value !== undefined) headers[name.toLowerCase()] = String(value)
  }
  return { status: output.statusCode, headers, body: asJson(output.body) }
}

/** Only what JSON can carry: an example of the document, or something sampled from a schema. */
function asJson(value: unknown): Json | undefined {
  if (value === undefined) return undefined
  return JSON.parse(JSON.stringify(value)) as Json // proved by the parser
}

function fits(contract: Contract, request: FallbackRequest, answer: FallbackAnswer): boolean {
  if ('problem' in answer) return false
  if (answer.body === undefined) return true
  const match = contract.match(request.method, contract.basePath + request.path)
  return match.kind === 'operation' && match.operation.checkResponse(answer.status, answer.body).length === 0
}
