import { type Exchange, operationOf, type Reply } from '../exchange.ts'
import { refusals } from '../refusals.ts'
import type { Effect } from '../scenarios/effects.ts'

/**
 * Does to the answer what was asked for. It comes last, after the answer has passed the contract check, and marks what it
 * did. Damage that a request asked for and that cannot be done is refused; from a wider scope it is passed over.
 */
export function damage() {
  return function damage(exchange: Exchange, whole: Reply): Reply {
    let reply = whole
    for (const { entry, values } of exchange.scenarios) {
      const effect = entry.effect(values)
      if (effect.kind === 'drift') reply = drift(exchange, reply, effect, entry.name)
    }
    // Where the damage itself was refused, that has to be heard.
    if (losesAck(exchange) && isKept(whole) && reply.origin !== 'simulator')
      exchange.delivery = { ...exchange.delivery, manner: { kind: 'reset' } }
    const { kind } = exchange.delivery.manner
    if (kind !== 'whole') exchange.damage = [...exchange.damage, kind]
    return reply
  }
}

const losesAck = ({ scenarios }: Exchange) =>
  scenarios.some(({ entry, values }) => entry.effect(values).kind === 'lose-ack')

/** Only an answer that says "kept" can be lost; a refusal is told. */
const isKept = ({ status, origin }: Reply) => status < 300 && origin === 'contract'

function drift(
  exchange: Exchange,
  reply: Reply,
  effect: Extract<Effect, { kind: 'drift' }>,
  name: string,
): Reply {
  const schema = operationOf(exchange).responseSchema(reply.status)
  if (reply.origin === 'simulator' || !schema || reply.body === undefined) return reply
  const damaged = effect.damage(reply.body, schema, exchange.seed)
  if (!damaged.ok) return exchange.askedByRequest ? refusals.control(damaged.problem) : reply
  exchange.damage = [...exchange.damage, `${name} at ${damaged.pointer || '/'}`]
  return { ...reply, body: damaged.body, origin: 'scenario' }
}
