import { isIP } from 'node:net'
import { isObject, type Json, type Violation } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import type { CorsOrigins } from '../../base/core/origins.ts'
import { endSentence } from '../../base/core/text.ts'
import { StoreReadError, StoreUnavailableError, StoreWriteError } from '../../state/store.ts'
import type { Operation } from '../contract/contract.ts'
import { isJson } from '../contract/media-types.ts'
import { listSchemaParts, mergeProperties } from '../contract/schema-parts.ts'
import { describeSecurity, formatChallenges } from '../contract/security.ts'
import { hourMs, type RateLimit, retryHeaders } from './rate-headers.ts'
import { jsonBody, type Origin, type Reply } from './reply.ts'
import type { SimRequest } from './request.ts'

/** Returns a reply with the service's error body. `error` says what is wrong and, if possible, what to do. */
export function refuse(status: number, error: string, origin: Origin, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: jsonBody({ success: false, error }), origin }
}

export function readError(value: Json | undefined): string {
  const error = isObject(value) ? value['error'] : undefined
  return typeof error === 'string' ? error : ''
}

/** Returns the first preferred status that has its own documented response, or else the first preferred status. */
export function pickDocumentedStatus(operation: Operation, preferred: readonly [number, ...number[]]): number {
  return preferred.find((status) => operation.statuses.includes(status)) ?? preferred[0]
}

/** Returns true for the success status or a status documented by number, range (`4XX`) or, for errors, `default`. */
export function isDocumented({ responses, successStatus }: Operation, status: number): boolean {
  const keys = [String(status), `${Math.floor(status / 100)}XX`, ...(status < 400 ? [] : ['default'])]
  return status === successStatus || keys.some((key) => responses.includes(key))
}

/**
 * Returns the simulator's body for a refusal, or else the first valid example, if any. If a body is documented, the
 * simulator's is used only if it is valid and the documented one declares `error` or has no properties and no examples.
 */
export function bodyOfRefusal(operation: Operation, { status, body }: Pick<Reply, 'status' | 'body'>) {
  if (!body || !operation.hasResponseBody(status)) return body?.value
  if (!operation.responseMediaTypes(status).some(isJson)) return undefined
  const examples = operation.examples(status).map(({ value }) => value)
  const names = mergeProperties(listSchemaParts(operation.responseSchema(status) ?? {}))
  const own = names.has('error') || (names.size === 0 && examples.length === 0) ? [body.value] : []
  return [...own, ...examples].find((value) => operation.checkResponse(status, value).length === 0)
}

function refuseDocumented(
  operation: Operation,
  preferred: readonly [number, ...number[]],
  error: string,
  headers?: Record<string, string>,
): Reply {
  return refuse(pickDocumentedStatus(operation, preferred), error, 'contract', headers)
}

/** Messages for both ordinary and injected refusals, so that clients cannot tell the two apart. */
export const messages = {
  unauthorized: (problem: string, { security }: Pick<Operation, 'security'>) =>
    `${problem} Send ${describeSecurity(security)}.`,
  unknownModel: (modelId: string) => `Model ${modelId} not found.`,
  rateLimited({ quota, windowMs }: RateLimit, resetMs: number) {
    const window = windowMs === hourMs ? 'per hour' : `in ${windowMs / 1000} s`
    return `Rate limit exceeded: ${quota} ${window}. Try again in ${Math.ceil(resetMs / 1000)} s.`
  },
}

export const abortedMessage = 'The client disconnected before the end of the request body.'

/** How long, in milliseconds, a client should wait before a retry if the shared state is unavailable. */
const unavailableMs = 1000

export const refusals = {
  /** `suggestion` is the path with the base path prepended, if such a path is documented. */
  outsideBase: (base: string, path: string, suggestion: string | undefined) =>
    refuse(
      404,
      suggestion
        ? `Nothing is served at ${path}. The base URL of this service ends in ${base}: request ${suggestion}.`
        : `Nothing is served at ${path}. The service is under ${base}, and the control plane is under /__sim.`,
      'simulator',
    ),
  unknownPath: (path: string, known: readonly string[]) =>
    refuse(404, `No operation has the path ${path}. Known paths: ${known.join(', ')}.`, 'contract'),
  malformedPath: (reason: string) => refuse(400, `The path cannot be decoded: ${reason}`, 'contract'),
  wrongMethod: (method: string, path: string, allowed: readonly string[]) =>
    refuse(405, `${method} is not allowed on ${path}. Allowed: ${allowed.join(', ')}.`, 'contract', {
      Allow: allowed.join(', '),
    }),
  unauthorized: (operation: Operation, problem: string) =>
    refuseDocumented(operation, [401], messages.unauthorized(problem, operation), {
      'WWW-Authenticate': formatChallenges(operation.security),
    }),
  /** `sufficientPlans` lists the names of the plans that include the feature. */
  plan(operation: Operation, plan: string, sufficientPlans: readonly string[]) {
    const names = sufficientPlans.map((name) => `"${name}"`).join(', ')
    const message = `Your plan "${plan}" does not include this feature. Plans that include it: ${names || 'none'}.`
    return refuseDocumented(operation, [403], message)
  },
  invalid(operation: Operation, violations: readonly Violation[]) {
    const isMediaType = violations.every(({ keyword }) => keyword === 'media-type')
    return refuseDocumented(operation, isMediaType ? [415, 400, 422] : [400, 422], formatViolations(violations))
  },
  aborted: () => refuse(400, abortedMessage, 'simulator'),
  /** The response recorded for a client that disconnected and received nothing. nginx also logs 499 in this case. */
  clientGone: () => refuse(499, 'The client disconnected before the real service responded.', 'simulator'),
  unreadableBody: (operation: Operation, status: number, reason: string) =>
    refuseDocumented(operation, [status, 400, 422], reason),
  unknownModel: (operation: Operation, modelId: string) =>
    refuseDocumented(operation, [404], messages.unknownModel(modelId)),
  rateLimited: (operation: Operation, limit: RateLimit, resetMs: number) =>
    refuseDocumented(operation, [429], messages.rateLimited(limit, resetMs), retryHeaders(resetMs)),
  lostRequest: () => refuse(503, 'The connection was lost before the service processed the request.', 'scenario'),
  control: (problem: string) => refuse(400, problem, 'simulator'),
  unavailable: (problem: string) => refuse(503, problem, 'simulator', retryHeaders(unavailableMs)),
  /** Reports a simulator bug, or state that cannot be read or written. */
  internalError: (problem: string) => refuse(500, problem, 'simulator'),
}

/** Returns the reply to a request that failed because of the store, and logs the reason; undefined for other errors. */
export function replyToStoreError(error: unknown, requestId: string, log: Log): Reply | undefined {
  if (error instanceof StoreUnavailableError) {
    log.warn({ requestId, reason: error.message }, 'the shared state cannot be used')
    return refusals.unavailable(error.message)
  }
  const isWrite = error instanceof StoreWriteError
  if (!isWrite && !(error instanceof StoreReadError)) return undefined
  log.error({ requestId, reason: error.message }, `the state cannot be ${isWrite ? 'written' : 'read'}`)
  return refusals.internalError(error.message)
}

/** Counts the broken rules. `more` is true if the check stopped early. */
export function countBrokenRules(violations: readonly Violation[]): { total: number; more?: true } {
  const total = violations.filter(({ keyword }) => keyword !== 'more').length
  return total < violations.length ? { total, more: true } : { total }
}

export function formatViolations(violations: readonly Violation[]): string {
  const each = violations.map(({ in: part, pointer, message }) => `${part}${pointer}: ${message}`)
  const { total, more } = countBrokenRules(violations)
  const count = total === 1 ? '' : ` (${more ? 'at least ' : ''}${total} problems)`
  const last = each.length - 1
  const clauses = each.map((text, index) => (index === last || text.endsWith('?') ? endSentence(text) : `${text};`))
  return `Invalid request${count}: ${clauses.join(' ')}`
}

export interface PageSettings {
  /**
   * Host names allowed in addition to the private names. If the list is empty, names without dots are also allowed,
   * since public name servers do not resolve them. If a local name server might resolve them, list your host names.
   */
  readonly hosts: readonly string[]
  /** Origins, such as `http://localhost:6006`, of pages that may send requests, in addition to the server's origin. */
  readonly origins: readonly string[]
  /** Origins of pages whose scripts may read the service's responses; for a proxy, only the `--control-origins`. */
  readonly cors: CorsOrigins
}

/** Host names that attackers cannot rebind to this machine, because public name servers do not resolve them. */
const privateNames = ['localhost', 'host.docker.internal']
const privateSuffixes = ['.localhost', '.svc.cluster.local']

/**
 * Returns a 403 for a request from a web page on another origin; undefined if the request is allowed.
 * - Pages on other origins are recognized by `Origin` or `Sec-Fetch-Site`.
 * - Pages on a host name that was rebound to this address (DNS rebinding) are recognized by `Host`.
 *
 * `name` is the subject of messages. If `allowsLinks` is true, GET requests from links on other origins are allowed.
 */
export function refuseForeignPage(
  request: SimRequest,
  { hosts, origins }: PageSettings,
  { name, allowsLinks }: { readonly name: string; readonly allowsLinks: boolean },
): Reply | undefined {
  const host = request.headers['host'] ?? ''
  if (!isAllowedHost(host, hosts)) {
    const problem = `${name} does not accept requests for the host "${host.slice(0, 100)}".`
    return refuse(403, `${problem} If the host is yours, list it with --control-hosts.`, 'simulator')
  }
  if (isFromForeignPage(request, origins, allowsLinks)) {
    const problem = `${name} rejects requests from pages on other origins.`
    return refuse(403, `${problem} If the page is yours, list its origin with --control-origins.`, 'simulator')
  }
  return undefined
}

/** Returns true for an IP address, a private or listed name, or, if no name is listed, any name without dots. */
function isAllowedHost(host: string, listed: readonly string[]): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (name === '') return false
  if (isIP(name) !== 0 || privateNames.includes(name)) return true
  if (listed.length === 0 && !name.includes('.')) return true
  return (
    privateSuffixes.some((suffix) => name.endsWith(suffix)) || listed.some((allowed) => allowed.toLowerCase() === name)
  )
}

function isFromForeignPage({ method, headers }: SimRequest, allowed: readonly string[], allowsLinks: boolean): boolean {
  const { host, origin } = headers
  if (origin !== undefined && allowed.includes(origin)) return false
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true
  const site = headers['sec-fetch-site']
  // Pages on other ports of localhost are `same-site`. `none` means, for example, that the user typed the address.
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(allowsLinks && method === 'GET' && headers['sec-fetch-mode'] === 'navigate')
}
