import type { Operation } from '../contract/contract.ts'
import type { Log } from '../core/log.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { ReplyStage } from './stage.ts'

/** Checks the reply against the contract before any damage on purpose. A reply of ours that breaks it is a bug and becomes a 500. */
export function checkReply(log: Log): ReplyStage {
  return function checkReply(exchange, reply) {
    const { operation, request } = exchange
    if (!operation || reply.body === undefined || isExempt(operation, reply)) return reply
    const violations = operation.checkResponse(reply.status, reply.body)
    // A refusal that an edited contract does not document (401 of an added operation) is still the right refusal.
    if (reply.status >= 400 && violations.every(({ keyword }) => keyword === 'status')) return reply
    if (violations.length === 0) {
      if (reply.cached) reply.cached.fits = operation
      return reply
    }
    exchange.answerViolations = violations
    log.error(
      { requestId: request.id, operation: operation.id, status: reply.status, violations },
      'our own answer breaks the contract',
    )
    const [first] = violations
    return refusals.ownFault(
      `The simulator's own answer to ${operation.id} (${reply.status}) breaks the contract: ${first?.pointer} ${first?.message}. Please report this as a bug of the simulator.`,
    )
  }
}

/** Exempts replies about the simulator itself, and cached bodies that were checked before. */
function isExempt(operation: Operation, { origin, cached }: Reply): boolean {
  return origin === 'simulator' || cached?.fits === operation
}
