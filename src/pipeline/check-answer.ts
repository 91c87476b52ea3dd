import type { Operation } from '../contract/contract.ts'
import type { Log } from '../core/log.ts'
import type { Exchange, Reply } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'

/** No answer of ours breaks the contract unless somebody asked for the damage: one that would is a bug, and says so. */
export function checkAnswer(log: Log) {
  return function checkAnswer(exchange: Exchange, reply: Reply): Reply {
    const { operation, request } = exchange
    if (!operation || reply.body === undefined || isPassed(operation, reply)) return reply
    const violations = operation.checkResponse(reply.status, reply.body)
    // A refusal that the document forgot (401 of an operation that somebody added) is still the right one.
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

/** The simulator speaks for itself, and a lasting body that has passed before is the same one. */
function isPassed(operation: Operation, { origin, cached }: Reply): boolean {
  return origin === 'simulator' || cached?.fits === operation
}
