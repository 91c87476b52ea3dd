import { endSentence } from '../core/end-sentence.ts'
import { jsonBody } from '../exchange/body.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { ActiveScenario, Chance, Effect } from '../scenarios/definition.ts'
import { numberOf } from '../scenarios/parameters.ts'
import type { Store } from '../state/store.ts'
import { drawChance, fires } from './chance.ts'
import { type Exchange, operationOf } from './exchange.ts'

/**
 * Applies the scenarios that fire by chance, in order; returns the reply of the last scenario that replies instead of the operation, or
 * a reply in its place where the request is lost before the operation is carried out.
 */
export async function applyScenarios(
  exchange: Exchange,
  scenarios: readonly ActiveScenario[],
  store: Store,
): Promise<Reply | undefined> {
  let reply: Reply | undefined
  for (const active of scenarios) {
    const effect = active.definition.effect(active.values)
    const isRandom = numberOf(active.values, 'p') < 1 || (effect.kind === 'delay' && effect.drawn)
    const chance: Chance = isRandom ? await drawChance(exchange, active.text, store) : () => 0
    if (!fires(active, chance)) {
      exchange.trace?.decisions.push(`Chance spares the request of "${active.text}".`)
      continue
    }
    exchange.scenarios = [...exchange.scenarios, active]
    reply = applyEffect(exchange, effect, chance) ?? reply
  }
  return reply ?? replyBeforeWork(exchange)
}

/**
 * Returns the reply to a request that is lost before the operation is carried out; undefined for any other. A client that gets a part
 * of the reply must meet a success, so it is an example of the document.
 */
function replyBeforeWork(exchange: Exchange): Reply | undefined {
  const effects = exchange.scenarios.map(({ definition, values }) => definition.effect(values))
  if (!effects.some((effect) => effect.kind === 'deliver' && effect.isBeforeWork)) return undefined
  const { kind } = exchange.delivery.mode
  const operation = operationOf(exchange)
  const status = operation.successStatus
  const [example] = kind === 'truncated' || kind === 'malformed' ? operation.examples(status) : []
  if (!example) return refusals.lostRequest()
  return { status, headers: {}, body: jsonBody(example.value), origin: 'scenario' }
}

/** Applies the part of an effect that comes before the operation; drift and `lost-ack` are applied by `applyDrift`. */
function applyEffect(exchange: Exchange, effect: Effect, chance: Chance): Reply | undefined {
  switch (effect.kind) {
    case 'answer':
      return effect.reply(operationOf(exchange), exchange.pathParameters['modelId'])
    case 'ordinary':
      if (operationOf(exchange).statuses.includes(effect.status)) exchange.requestedStatus = effect.status
      return undefined
    case 'data':
      exchange.dataOverrides = { ...exchange.dataOverrides, ...effect.overrides }
      return undefined
    case 'delay':
      exchange.delivery = { ...exchange.delivery, delayMs: effect.ms(chance) }
      return undefined
    case 'deliver':
      exchange.delivery = { ...exchange.delivery, mode: effect.mode }
      return undefined
    case 'expect':
      exchange.expectation = effect.expectation
      return undefined
    default:
      return undefined
  }
}

/** Returns those scenarios that make sense for the operation of the exchange. */
export function applicableScenarios(
  exchange: Exchange,
  scenarios: readonly ActiveScenario[],
): readonly ActiveScenario[] {
  return scenarios.filter((active) => inapplicableReason(exchange, active) === undefined)
}

/** Returns the reason why a scenario makes no sense for the operation of the exchange; undefined where it makes sense. */
export function inapplicableReason(
  exchange: Exchange,
  { definition, values, text }: ActiveScenario,
): string | undefined {
  const reason = definition.inapplicableReason(operationOf(exchange), values)
  return reason === undefined
    ? undefined
    : endSentence(`The scenario "${text}" makes no sense here: ${reason}`)
}
