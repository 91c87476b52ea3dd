import type { Json } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson } from '../../service/contract/media-types.ts'
import type { Body } from '../../service/exchange/body.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { ReplyStage } from './exchange.ts'
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
    const isHandled = handler !== undefined
    const violations = findViolations(operation, reply, body, isHandled)
    const isOwnShape = status >= 400 && !(isHandled && operation.statuses.includes(status))
    if (isOwnShape) return shapeRefusal(operation, reply, violations.length === 0 ? body.value : undefined)
    if (violations.length === 0) {
      checked.set(body, operation)
      return reply
    }
    exchange.responseViolations = violations
    log.error(
      { requestId: request.id, operation: operation.id, status, violations },
      'our own response breaks the contract',
    )
    const [first] = violations
    return refusals.ownFault(
      `The simulator's own response to ${operation.id} (${status}) breaks the contract: ` +
        `${first?.pointer} ${first?.message}. Please report this as a bug of the simulator.`,
    )
  }
}

/**
 * Shapes a refusal as the document describes it. `fitting`: the body if it fits the schema; undefined: the example of
 * the status is sent in its place. Without an example the refusal stays as it is, of which `checkRefusals` warns.
 */
function shapeRefusal(operation: Operation, reply: Reply, fitting: Json | undefined): Reply {
  const value = fitting ?? operation.examples(reply.status)[0]?.value
  const mediaType = operation.responseMediaTypes(reply.status).find(isJson)
  return value === undefined || mediaType === undefined ? reply : { ...reply, body: documentedBody(value, mediaType) }
}

/** Returns the rules that a reply breaks. Text of a document is described by no JSON schema. */
function findViolations(
  operation: Operation,
  { status, origin }: Reply,
  body: Body,
  isHandled: boolean,
): readonly Violation[] {
  if (!isJson(body.mediaType)) return []
  const violations =
    isHandled && origin === 'contract' && !body.isExact
      ? operation.checkSimulatedResponse(status, body.value)
      : operation.checkResponse(status, body.value)
  // A refusal that an edited contract does not document (401 of an added operation) is still the right refusal.
  return status >= 400 && violations.every(({ keyword }) => keyword === 'status') ? [] : violations
}
