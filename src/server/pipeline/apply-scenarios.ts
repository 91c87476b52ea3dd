import { deriveChance } from '../../base/core/seeded.ts'
import { endSentence } from '../../base/core/text.ts'
import { isDocumented, refusals } from '../../service/exchange/refusals.ts'
import { jsonBody, type Reply } from '../../service/exchange/reply.ts'
import {
  type ActiveScenario,
  type Chance,
  type Effect,
  effectOf,
  isGateway,
} from '../../service/scenarios/definition.ts'
import { numberOf } from '../../service/scenarios/parameters.ts'
import { itemAt, positionAt, type Sequence, sequencePrefix } from '../../service/scenarios/parse.ts'
import { type ActiveRule, ruleTimesKey } from '../../service/scenarios/rules.ts'
import type { Store } from '../../state/store.ts'
import { addDecision, type Exchange, targetOf } from './exchange.ts'

/** Applies the scenarios in order, each with its own probability. Returns the last reply that they cause, if any. */
export async function applyScenarios(exchange: Exchange, scenarios: readonly ActiveScenario[], store: Store) {
  let reply: Reply | undefined
  for (const active of scenarios) {
    const effect = effectOf(active)
    const p = numberOf(active.values, 'p')
    const isRandom = p < 1 || (effect.kind === 'delay' && effect.isRandom)
    const chance: Chance = isRandom ? await drawChance(exchange, active.text, store) : () => 0
    if (chance('p') >= p) {
      addDecision(exchange, `"${active.text}" was not applied (probability).`)
      continue
    }
    exchange.scenarios = [...exchange.scenarios, active]
    reply = applyEffect(exchange, effect, chance) ?? reply
  }
  return reply ?? replyBeforeWork(exchange)
}

/** Returns the reply to a request that is lost before the operation runs; undefined for other requests. */
function replyBeforeWork({ operation, scenarios, delivery }: Exchange): Reply | undefined {
  const isLost = scenarios.map(effectOf).some((effect) => effect.kind === 'deliver' && effect.isBeforeWork)
  if (!isLost || !operation) return undefined
  const status = operation.successStatus
  const isPartlySent = ['truncated', 'malformed'].includes(delivery.mode.kind)
  const [example] = isPartlySent ? operation.examples(status) : []
  if (!example) return refusals.lostRequest()
  return { status, headers: {}, body: jsonBody(example.value), origin: 'scenario' }
}

/** Applies an effect and returns its reply, if any. Skips drift and `lost-ack`, which `applyDamage` applies later. */
function applyEffect(exchange: Exchange, effect: Effect, chance: Chance): Reply | undefined {
  const { operation } = exchange
  switch (effect.kind) {
    case 'gateway':
      return effect.reply({ target: targetOf(exchange), now: exchange.now })
    case 'response': {
      if (!operation) break
      const reply = effect.reply(operation, exchange.pathParameters['modelId'], exchange.now)
      if (!isDocumented(operation, reply.status)) {
        exchange.damage = [...exchange.damage, 'undocumented status']
        exchange.responseViolations = operation.checkResponse(reply.status, null)
      }
      return reply
    }
    case 'ordinary':
      if (operation && isDocumented(operation, effect.status)) exchange.requestedStatus = effect.status
      break
    case 'data': {
      const { dataOverrides } = exchange
      const nulls = [...dataOverrides.nulls, ...(effect.overrides.nulls ?? [])]
      exchange.dataOverrides = { ...dataOverrides, ...effect.overrides, nulls }
      break
    }
    case 'sample-out':
      exchange.isSampledOut = true
      break
    case 'delay':
      exchange.delivery = { ...exchange.delivery, delayMs: effect.ms(chance) }
      break
    case 'deliver':
      exchange.delivery = { ...exchange.delivery, mode: effect.mode }
      break
    case 'expect':
      exchange.expectation = effect.expectation
  }
  return undefined
}

export const applicableScenarios = (exchange: Exchange, scenarios: readonly ActiveScenario[]) =>
  scenarios.filter((active) => inapplicableReason(exchange, active) === undefined)

/** Returns why a scenario does not apply to the exchange's operation; undefined if it applies. */
export function inapplicableReason({ operation }: Exchange, active: ActiveScenario) {
  const { definition, values, text } = active
  const unmatched = isGateway(active) || definition.family === 'time' ? undefined : 'no operation matches the request'
  const reason = operation ? definition.inapplicableReason?.(operation, values) : unmatched
  return reason === undefined ? undefined : endSentence(`The scenario "${text}" does not apply here: ${reason}`)
}

/**
 * Returns a function that draws numbers. They depend on the seed, sandbox, operation and purpose, and on the number of
 * earlier calls with the same `counter`, so the n-th request to draw gets the same numbers in every run.
 */
async function drawChance(exchange: Exchange, purpose: string, store: Store, counter = purpose): Promise<Chance> {
  const { id } = exchange.operation ?? { id: '' }
  const { name } = exchange.sandbox
  const index = await store.nextSequenceIndex(name, `chance ${id} ${counter}`)
  return (label) => deriveChance([exchange.seed, name, id, purpose, index, label])
}

/** Returns the sequence's next item and advances the sequence. `prefix` keeps the counts of rules and headers apart. */
export async function nextItem(exchange: Exchange, sequence: Sequence, store: Store, prefix = sequencePrefix) {
  const key = `${prefix}${exchange.operation?.id ?? ''} ${sequence.text}`
  const index = await store.nextSequenceIndex(exchange.sandbox.name, key)
  const item = itemAt(sequence, index)
  const position = `item ${positionAt(sequence, index) + 1} of ${sequence.items.length}`
  addDecision(exchange, `Request ${index + 1} of the sequence "${sequence.text}" gets ${position}, "${item.text}".`)
  return item
}

/** Returns why a matching rule is skipped; undefined if it applies. Checks `probability` first, then counts `times`. */
export async function findSkipReason(exchange: Exchange, rule: ActiveRule, index: number, store: Store) {
  const { probability, times } = rule
  const key = ruleTimesKey(rule)
  if (probability < 1) {
    // The key of a sandbox rule contains a random ID, so it can identify the counter but must not affect the draw.
    const chance = await drawChance(exchange, `rule ${index}`, store, key)
    if (chance('probability') >= probability) return `was not applied (probability ${probability})`
  }
  const hasUsesLeft = times === undefined || (await store.nextSequenceIndex(exchange.sandbox.name, key)) < times
  return hasUsesLeft ? undefined : `is used up (times ${times})`
}
