import type { Json } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import { type Result, success } from '../../base/core/result.ts'
import { escapeNonAscii } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson } from '../../service/contract/media-types.ts'
import { type Body, jsonBody } from '../../service/exchange/body.ts'
import { immediateDelivery } from '../../service/exchange/delivery.ts'
import { olderRateHeaders } from '../../service/exchange/rate-headers.ts'
import { countBrokenRules, refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { effectOf } from '../../service/scenarios/definition.ts'
import type { Exchange, ReplyStage } from './exchange.ts'
import { documentedBody } from './handle.ts'

/**
 * Checks the reply against the contract before any damage on purpose. A reply of ours that breaks it is a bug and
 * becomes a 500, except a refusal for which an own contract has another shape. Replies of handlers also keep the rules
 * of `x-simulated-values`; examples and exact responses need not.
 */
export function checkReply(log: Log): ReplyStage {
  // Cached responses are sent many times with one body: 10 kB of it take 40 µs to check.
  const checked = new WeakMap<Body, Operation>()
  return function checkReply(exchange, reply) {
    const { operation, handler, request } = exchange
    const { status, body, origin } = reply
    if (!operation || !body || origin === 'simulator' || checked.get(body) === operation) return reply
    const violations = findViolations(operation, reply, body, handler !== undefined)
    const isOwnShape = status >= 400 && !(handler && operation.statuses.includes(status))
    if (isOwnShape) return shapeRefusal(operation, reply, violations.length === 0 ? body.value : undefined)
    if (violations.length === 0) {
      checked.set(body, operation)
      return reply
    }
    exchange.responseViolations = violations
    const fields = { requestId: request.id, operation: operation.id, status, violations }
    log.error(fields, 'our own response breaks the contract')
    const [first] = violations
    return refusals.ownFault(
      `The simulator's own response to ${operation.id} (${status}) breaks the contract: ` +
        `${first?.pointer} ${first?.message}. Please report this as a bug of the simulator.`,
    )
  }
}

/** Shapes a refusal as the document describes it: as `fitting`, if given, or else as its example, if it has one. */
function shapeRefusal(operation: Operation, reply: Reply, fitting: Json | undefined): Reply {
  const value = fitting ?? operation.examples(reply.status)[0]?.value
  const mediaType = operation.responseMediaTypes(reply.status).find(isJson)
  return value === undefined || mediaType === undefined ? reply : { ...reply, body: documentedBody(value, mediaType) }
}

/** Returns the rules that a reply breaks. Text of a document is described by no JSON schema. */
function findViolations(operation: Operation, reply: Reply, body: Body, isHandled: boolean): readonly Violation[] {
  const { status, origin } = reply
  if (!isJson(body.mediaType)) return []
  const violations =
    isHandled && origin === 'contract' && !body.isExact
      ? operation.checkSimulatedResponse(status, body.value)
      : operation.checkResponse(status, body.value)
  // A refusal that an edited contract does not document (401 of an added operation) is still the right refusal.
  return status >= 400 && violations.every(({ keyword }) => keyword === 'status') ? [] : violations
}

/** Damages the reply as scenarios ask. Impossible damage is refused if the request itself asks for it. */
export function applyDamage(exchange: Exchange, original: Reply): Reply {
  const drifted = driftReply(exchange, original)
  if (!drifted.ok && exchange.requestedExplicitly) {
    exchange.delivery = { ...exchange.delivery, mode: immediateDelivery.mode } // the refusal must reach the client
    return refusals.control(drifted.error)
  }
  const { status, origin } = original
  // `lost-ack` loses the acknowledgement of a stored write, never a refusal.
  const isStored = status < 300 && (origin === 'contract' || origin === 'upstream')
  if (isStored && exchange.scenarios.some((active) => effectOf(active).kind === 'lose-ack'))
    exchange.delivery = { ...exchange.delivery, mode: { kind: 'reset' } }
  const { kind } = exchange.delivery.mode
  if (kind !== 'whole') exchange.damage = [...exchange.damage, kind]
  return drifted.ok ? drifted.value : original
}

/** Returns the reply with its drift, of which there is at most one, or the reason why the drift cannot be done. */
function driftReply(exchange: Exchange, reply: Reply): Result<Reply> {
  const active = exchange.scenarios.find(({ definition }) => definition.family === 'drift')
  const effect = active && effectOf(active)
  const { operation } = exchange
  if (!operation || !active || effect?.kind !== 'drift') return success(reply)
  const { status, origin } = reply
  const isReal = origin === 'upstream'
  const schema = isReal ? operation.responseSchema(status) : operation.simulatedResponseSchema(status)
  if (origin === 'simulator' || !schema || !reply.body) return success(reply)
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

/** The longest violations header, in characters; clients and proxies refuse much longer headers. */
const maxHeaderLength = 4000

export interface HeaderSettings {
  /** Gives replies the informative headers (`X-Sim-...`). */
  readonly simHeaders: boolean
  /** The name of this process among the replicas, if replies are to have it. */
  readonly replica?: string | undefined
  /** The form of the reset in the `X-RateLimit-...` headers beside the `RateLimit` fields; `off`: there are none. */
  readonly xRateLimit: 'off' | 'epoch' | 'seconds'
}

export function finaliseHeaders({ simHeaders, replica, xRateLimit }: HeaderSettings): ReplyStage {
  return function finaliseHeaders(exchange, reply) {
    const headers = inAscii({ ...reply.headers, ...extraHeadersFor(exchange, reply) })
    if (xRateLimit !== 'off') Object.assign(headers, olderRateHeaders(headers, xRateLimit, exchange))
    if (simHeaders) addSimHeaders(headers, exchange, reply)
    if (simHeaders && replica !== undefined) headers['X-Sim-Replica'] = replica
    const { status, body, origin } = reply
    if (reply.stream || reply.relay || reply.cookies) return { ...reply, headers }
    return { status, headers, body, origin } // which is quicker than a spread
  }
}

/** Leaves out the acknowledgement where a refusal replaces the success status or the example that was preferred. */
function extraHeadersFor({ extraHeaders, requestedStatus }: Exchange, { origin, status }: Reply) {
  if (origin !== 'simulator' && status === (requestedStatus ?? status)) return extraHeaders
  const { 'Preference-Applied': _, ...others } = extraHeaders
  return others
}

function addSimHeaders(headers: Record<string, string>, exchange: Exchange, reply: Reply): void {
  const { request, operation, sandbox, scenarios, violations, advice } = exchange
  // The support of the real service asks for the id that the service gave its response.
  headers[headers['x-request-id'] === undefined ? 'X-Request-Id' : 'X-Sim-Request-Id'] = request.id
  headers['X-Sim-Origin'] = reply.origin
  headers['X-Sim-Sandbox'] = sandbox.name
  if (operation) headers['X-Sim-Operation'] = escapeNonAscii(operation.id)
  if (exchange.damage.length > 0) headers['X-Sim-Damage'] = escapeNonAscii(exchange.damage.join(', '))
  if (scenarios.length > 0) headers['X-Sim-Scenario'] = escapeNonAscii(scenarios.map(({ text }) => text).join(', '))
  if (violations.length > 0) headers['X-Sim-Violations'] = violationsHeader(violations)
  if (advice.length > 0) headers['X-Sim-Advice'] = violationsHeader(advice)
}

/** Returns `{"total":3,"violations":[...]}` without the last violations if not all fit; `more` if there may be more. */
function violationsHeader(violations: readonly Violation[]): string {
  for (let count = violations.length; count > 0; count -= 1) {
    const text = escapeNonAscii(
      JSON.stringify({ ...countBrokenRules(violations), violations: violations.slice(0, count) }),
    )
    if (text.length <= maxHeaderLength) return text
  }
  return JSON.stringify({ ...countBrokenRules(violations), violations: [] })
}

/** Escapes header values, since Node refuses characters beyond Latin-1, and names are of any alphabet. */
function inAscii(headers: Record<string, string>): Record<string, string> {
  for (const name in headers) headers[name] = escapeNonAscii(headers[name] ?? '')
  return headers
}
