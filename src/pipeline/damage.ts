import { type Exchange, immediateDelivery, operationOf, type Reply } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'

/**
 * Does to the answer what was asked for. It comes last, after the answer has passed the contract check, and marks what it
 * did. Damage that a request asked for and that cannot be done is refused; from a wider scope it is passed over.
 */
export function applyDrift() {
  return function damage(exchange: Exchange, whole: Reply): Reply {
    const { reply, problem } = drifted(exchange, whole)
    if (problem !== undefined) {
      // That it was refused has to be heard.
      exchange.delivery = { ...exchange.delivery, mode: immediateDelivery.mode }
      return refusals.control(problem)
    }
    if (losesAck(exchange) && isKept(whole))
      exchange.delivery = { ...exchange.delivery, mode: { kind: 'reset' } }
    const { kind } = exchange.delivery.mode
    if (kind !== 'whole') exchange.damage = [...exchange.damage, kind]
    return reply
  }
}

const losesAck = ({ scenarios }: Exchange) =>
  scenarios.some(({ definition, values }) => definition.effect(values).kind === 'lose-ack')

/** Only an answer that says "kept" can be lost; a refusal is told. */
const isKept = ({ status, origin }: Reply) => status < 300 && origin === 'contract'

/** The answer with what was asked for done to it, or why that cannot be; there is at most one drift for an answer. */
function drifted(exchange: Exchange, reply: Reply): { reply: Reply; problem?: string } {
  const active = exchange.scenarios.find(({ definition }) => definition.family === 'drift')
  const effect = active?.definition.effect(active.values)
  if (!active || effect?.kind !== 'drift') return { reply }
  const operation = operationOf(exchange)
  const schema = operation.responseSchema(reply.status)
  if (reply.origin === 'simulator' || !schema || reply.body === undefined) return { reply }
  const damaged = effect.damage(reply.body, schema, exchange.seed)
  if (!damaged.ok) return exchange.requestedExplicitly ? { reply, problem: damaged.problem } : { reply }
  exchange.damage = [...exchange.damage, `${active.definition.name} at ${damaged.pointer || '/'}`]
  exchange.answerViolations = operation.checkResponse(reply.status, damaged.body)
  return { reply: { ...reply, body: damaged.body, bytes: undefined, cached: undefined, origin: 'scenario' } }
}
