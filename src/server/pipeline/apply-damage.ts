import { jsonBody } from '../../service/exchange/body.ts'
import { immediateDelivery } from '../../service/exchange/delivery.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { Exchange, ReplyStage } from './exchange.ts'

/** Damages the reply as scenarios ask. Impossible damage is refused if the request itself asks for it. */
export function applyDamage(): ReplyStage {
  return function applyDamage(exchange, original) {
    const { reply, problem } = driftedReply(exchange, original)
    if (problem !== undefined) {
      exchange.delivery = { ...exchange.delivery, mode: immediateDelivery.mode } // the refusal must reach the client
      return refusals.control(problem)
    }
    if (losesAck(exchange) && isStored(original)) exchange.delivery = { ...exchange.delivery, mode: { kind: 'reset' } }
    const { kind } = exchange.delivery.mode
    if (kind !== 'whole') exchange.damage = [...exchange.damage, kind]
    return reply
  }
}

const losesAck = ({ scenarios }: Exchange) =>
  scenarios.some(({ definition, values }) => definition.effect(values).kind === 'lose-ack')

/** Returns true for the acknowledgement of a stored write; `lost-ack` never loses a refusal. */
const isStored = ({ status, origin }: Reply) => status < 300 && (origin === 'contract' || origin === 'upstream')

/** Returns the reply with its drift, of which there is at most one, or the reason why the drift cannot be done. */
function driftedReply(exchange: Exchange, reply: Reply): { reply: Reply; problem?: string } {
  const active = exchange.scenarios.find(({ definition }) => definition.family === 'drift')
  const effect = active?.definition.effect(active.values)
  const { operation } = exchange
  if (!operation || !active || effect?.kind !== 'drift') return { reply }
  const isReal = reply.origin === 'upstream'
  const schema = isReal ? operation.responseSchema(reply.status) : operation.simulatedResponseSchema(reply.status)
  if (reply.origin === 'simulator' || !schema || !reply.body) return { reply }
  const damaged = effect.damage(reply.body.value, schema, exchange.seed)
  if (!damaged.ok) return exchange.requestedExplicitly ? { reply, problem: damaged.error } : { reply }
  const { body, pointer } = damaged.value
  exchange.damage = [...exchange.damage, `${active.definition.name} at ${pointer || '/'}`]
  exchange.responseViolations = isReal
    ? operation.checkResponse(reply.status, body)
    : operation.checkSimulatedResponse(reply.status, body)
  return { reply: { ...reply, body: jsonBody(body, isReal ? undefined : reply.body.mediaType), origin: 'scenario' } }
}
