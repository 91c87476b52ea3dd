import type { Json, Violation } from '../../base/core/json.ts'
import { type Result, success } from '../../base/core/result.ts'
import { escapeNonAscii } from '../../base/core/text.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { bareMediaType, isJson } from '../../service/contract/media-types.ts'
import { olderRateHeaders } from '../../service/exchange/rate-headers.ts'
import { countBrokenRules, refusals } from '../../service/exchange/refusals.ts'
import { type Body, immediateDelivery, jsonBody, type Reply, textBody } from '../../service/exchange/reply.ts'
import type { Fallback } from '../../service/responses/fallback.ts'
import { effectOf } from '../../service/scenarios/definition.ts'
import {
  type Exchange,
  type MatchedExchange,
  operationContext,
  type PipelineDeps,
  type ReplyStage,
  type RequestStage,
} from './exchange.ts'

/** Runs the operation. This is the last request stage, and it always replies. */
export function handle({ fallback }: PipelineDeps): RequestStage<MatchedExchange> {
  return async function handle(exchange) {
    const { operation, handler } = exchange
    if (!handler) {
      if (!fallback) throw new Error(`no handler and no fallback for ${operation.id}`)
      return replyFromDocument(exchange, fallback, chosenStatus(exchange))
    }
    const problem = findStatusProblem(exchange)
    if (problem !== undefined) return refusals.control(problem)
    const body = await handler.handle(operationContext(exchange))
    const status = exchange.requestedStatus ?? (exchange.isDropped ? operation.droppedStatus : operation.successStatus)
    return { status, headers: {}, body: bodyOfStatus(operation, status, body), origin: 'contract' }
  }
}

function chosenStatus({ operation, requestedStatus, isSampledOut }: MatchedExchange): number | undefined {
  return requestedStatus ?? (isSampledOut ? operation.droppedStatus : undefined)
}

/** Returns why the requested status cannot be sent, or undefined. Called before the operation changes the state. */
function findStatusProblem({ operation, requestedStatus: status }: MatchedExchange): string | undefined {
  if (status === undefined || hasSuccessShape(operation, status)) return undefined
  if (!operation.hasResponseBody(status) || operation.examples(status).length > 0) return undefined
  return (
    `The requested status cannot be sent: the documented body of ${operation.id} for ${status} differs from the body ` +
    `for ${operation.successStatus} and has no example. Add an example to the document.`
  )
}

/** Returns `body`, or an example if the status has a different schema; undefined if no body is documented. */
function bodyOfStatus(operation: Operation, status: number, body: Body): Body | undefined {
  if (!operation.hasResponseBody(status)) return undefined
  if (hasSuccessShape(operation, status)) return body
  const [example] = operation.examples(status)
  return example ? jsonBody(example.value) : body
}

function hasSuccessShape(operation: Operation, status: number): boolean {
  if (status === operation.successStatus) return true
  const shapes = [status, operation.successStatus].map((code) => JSON.stringify(operation.responseSchema(code)))
  return operation.hasResponseBody(status) && shapes[0] === shapes[1]
}

/** Returns a reply from the document's examples and schemas. `status` defaults to the success status. */
export async function replyFromDocument(exchange: MatchedExchange, fallback: Fallback, status?: number) {
  const { operation, request } = exchange
  const reply = await fallback({ operation, status, accept: request.headers.accept })
  const headers = Object.fromEntries(Object.entries(reply.headers).filter(([name]) => isSendableHeader(name)))
  const body = reply.body && { ...documentedBody(reply.body), isDocumented: true as const }
  return { status: reply.status, headers, body, origin: 'contract' } satisfies Reply
}

/** Returns true for a documented header that can be sent: its name is valid, and nothing else sets its value. */
function isSendableHeader(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !name.startsWith('access-control-') && !ownHeaders.has(name)
}

const ownHeaders = new Set([
  ...['connection', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-encoding', 'content-length', 'date', 'x-request-id'],
])

/** Creates a body from a documented value and media type. The body is UTF-8, whatever charset is documented. */
export function documentedBody({ value, mediaType }: { readonly value: Json; readonly mediaType: string }): Body {
  if (isJson(mediaType))
    return bareMediaType(mediaType).endsWith('+json') ? jsonBody(value, mediaType) : jsonBody(value)
  const type = mediaType.replace(/;\s*charset=[^;]*/i, '')
  return textBody(String(value), type !== mediaType || type.startsWith('text/') ? `${type}; charset=utf-8` : type)
}

/**
 * Checks the reply against the contract before any deliberate damage. A reply that breaks the contract is a bug and
 * becomes a 500. However, exempt replies (`isExempt`) are not checked, and violations in replies from the document
 * (`isFromDocument`) are only reported. Handlers must also follow `x-simulated-values`, except in exact bodies.
 */
export function checkReply({ log }: Pick<PipelineDeps, 'log'>): ReplyStage {
  // Checking 10 kB takes 40 µs, so a body that several replies share is checked only once.
  const checked = new WeakMap<Body, Operation>()
  const warned = new Set<string>()
  const reportViolations = (exchange: Exchange, reply: Reply, { id }: Operation, violations: readonly Violation[]) => {
    exchange.responseViolations = violations
    const { status } = reply
    const key = `${status} ${id}`
    if (violations.length > 0 && !warned.has(key)) log.warn({ operation: id, status, violations }, documentWarning)
    if (violations.length > 0) warned.add(key)
    return reply
  }
  return function checkReply(exchange, reply) {
    const { operation, handler, request } = exchange
    const { status, body, origin } = reply
    if (!operation || !body || origin === 'simulator' || checked.get(body) === operation) return reply
    if (isExempt(exchange, reply, operation)) return reply
    const violations = findViolations(operation, status, body, handler !== undefined)
    if (isFromDocument(exchange, reply)) return reportViolations(exchange, reply, operation, violations)
    if (violations.length === 0) {
      checked.set(body, operation)
      return reply
    }
    exchange.responseViolations = violations
    const fields = { requestId: request.id, operation: operation.id, status, violations }
    log.error(fields, "the simulator's own response breaks the contract")
    const [first] = violations
    return refusals.internalError(
      `The simulator's own response to ${operation.id} (${status}) breaks the contract: ` +
        `${first?.pointer} ${first?.message}. Please report this as a simulator bug.`,
    )
  }
}

const documentWarning = 'a response from the document does not match the schema; add a valid example to the document'

/**
 * Returns true for a reply that need not be documented: a reply from a scenario or a gateway, or a refusal that is
 * undocumented or whose operation has no handler. A body from the document is never exempt.
 */
function isExempt({ handler }: Exchange, { status, body, origin }: Reply, { statuses }: Operation): boolean {
  if (body?.isDocumented === true) return false
  return origin !== 'contract' || (status >= 400 && !(handler && statuses.includes(status)))
}

/** Returns true for a reply created from the document. If such a reply is invalid, the document is at fault. */
function isFromDocument({ handler }: Exchange, { body, status }: Reply): boolean {
  return handler === undefined && (body?.isDocumented === true || status < 400)
}

/** Returns the contract violations in a reply. Only JSON bodies are checked. */
function findViolations(operation: Operation, status: number, body: Body, isHandled: boolean): readonly Violation[] {
  const check = isHandled && !body.isExact ? operation.checkSimulatedResponse : operation.checkResponse
  return isJson(body.mediaType) ? check(status, body.value) : []
}

/** Damages the reply as the scenarios require. Refuses a request that names a drift that cannot be applied. */
export function applyDamage(exchange: Exchange, original: Reply): Reply {
  const drifted = driftReply(exchange, original)
  if (!drifted.ok && exchange.hasOwnScenarios) {
    exchange.delivery = { ...exchange.delivery, mode: immediateDelivery.mode } // the refusal must reach the client
    return refusals.control(drifted.error)
  }
  const { status, origin } = original
  // `lost-ack` drops the acknowledgment of a stored write, never a refusal.
  const isStored = status < 300 && (origin === 'contract' || origin === 'upstream')
  if (isStored && exchange.scenarios.some((active) => effectOf(active).kind === 'lose-ack'))
    exchange.delivery = { ...exchange.delivery, mode: { kind: 'reset' } }
  const { kind } = exchange.delivery.mode
  if (kind !== 'whole') exchange.damage = [...exchange.damage, kind]
  return drifted.ok ? drifted.value : original
}

/** Applies the first drift scenario, if any. The error says why the drift cannot be applied. */
function driftReply(exchange: Exchange, reply: Reply): Result<Reply> {
  const active = exchange.scenarios.find(({ definition }) => definition.family === 'drift')
  const effect = active && effectOf(active)
  const { operation } = exchange
  if (!operation || !active || effect?.kind !== 'drift') return success(reply)
  const { status, origin } = reply
  const isReal = origin === 'upstream'
  const schema = isReal ? operation.responseSchema(status) : operation.simulatedResponseSchema(status)
  if (origin === 'simulator' || origin === 'gateway' || !schema || !reply.body) return success(reply)
  const damaged = effect.damage(reply.body.value, schema, exchange.seed)
  if (!damaged.ok) return damaged
  const { body, pointer } = damaged.value
  exchange.damage = [...exchange.damage, `${active.definition.name} at ${pointer || '/'}`]
  exchange.responseViolations = isReal
    ? operation.checkResponse(status, body)
    : operation.checkSimulatedResponse(status, body)
  const mediaType = isReal ? undefined : reply.body.mediaType
  return success({ ...reply, body: jsonBody(body, mediaType), origin: 'scenario' })
}

/** The maximum length of a violations header, in characters. Clients and proxies reject much longer headers. */
const maxHeaderLength = 4000

export function finalizeHeaders({ settings: { simHeaders, replica, xRateLimit } }: PipelineDeps): ReplyStage {
  return function finalizeHeaders(exchange, reply) {
    const headers = escapeValues({ ...reply.headers, ...extraHeadersFor(exchange, reply) })
    if (xRateLimit !== 'off') Object.assign(headers, olderRateHeaders(headers, xRateLimit, exchange))
    if (simHeaders) addSimHeaders(headers, exchange, reply)
    if (simHeaders && replica !== undefined) headers['X-Sim-Replica'] = replica
    const { status, body, origin } = reply
    if (reply.stream || reply.relay || reply.cookies) return { ...reply, headers }
    return { status, headers, body, origin } // faster than a spread
  }
}

/** Returns the extra headers, without `Preference-Applied` if the reply is not the preferred one. */
function extraHeadersFor({ extraHeaders, requestedStatus }: Exchange, { origin, status }: Reply) {
  if (origin !== 'simulator' && status === (requestedStatus ?? status)) return extraHeaders
  const { 'Preference-Applied': _, ...others } = extraHeaders
  return others
}

function addSimHeaders(headers: Record<string, string>, exchange: Exchange, reply: Reply): void {
  const { request, operation, sandbox, scenarios, violations, advice } = exchange
  // A proxied response keeps the service's own request ID, which the service's support team may need.
  headers[headers['x-request-id'] === undefined ? 'X-Request-Id' : 'X-Sim-Request-Id'] = request.id
  headers['X-Sim-Origin'] = reply.origin
  headers['X-Sim-Sandbox'] = sandbox.name
  if (operation) headers['X-Sim-Operation'] = escapeNonAscii(operation.id)
  if (exchange.damage.length > 0) headers['X-Sim-Damage'] = escapeNonAscii(exchange.damage.join(', '))
  if (scenarios.length > 0) headers['X-Sim-Scenario'] = escapeNonAscii(scenarios.map(({ text }) => text).join(', '))
  if (violations.length > 0) headers['X-Sim-Violations'] = violationsHeader(violations)
  if (advice.length > 0) headers['X-Sim-Advice'] = violationsHeader(advice)
  // Violations caused by deliberate damage are expected, and those from a real service are in the report.
  if (exchange.responseViolations.length > 0 && exchange.damage.length === 0 && reply.body?.isDocumented)
    headers['X-Sim-Response-Violations'] = violationsHeader(exchange.responseViolations)
}

/** Returns `{"total":3,"violations":[...]}` with as many violations as fit. If `more` is true, `total` is a minimum. */
function violationsHeader(violations: readonly Violation[]): string {
  for (let count = violations.length; count > 0; count -= 1) {
    const text = escapeNonAscii(
      JSON.stringify({ ...countBrokenRules(violations), violations: violations.slice(0, count) }),
    )
    if (text.length <= maxHeaderLength) return text
  }
  return JSON.stringify({ ...countBrokenRules(violations), violations: [] })
}

/** Escapes header values, which can contain any Unicode characters. Node rejects characters outside Latin-1. */
function escapeValues(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) headers[name] = escapeNonAscii(headers[name] ?? '')
  return headers
}
