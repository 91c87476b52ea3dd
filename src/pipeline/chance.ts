import { deriveChance } from '../core/seeded.ts'
import type { ActiveScenario, Chance } from '../scenarios/definition.ts'
import { numberOf } from '../scenarios/parameters.ts'
import { itemAt, positionAt, type Sequence, sequencePrefix } from '../scenarios/parse.ts'
import { type ActiveRule, ruleTimesKey } from '../scenarios/rules.ts'
import type { Store } from '../state/store.ts'
import { type Exchange, operationOf } from './exchange.ts'

/**
 * Returns this request's chance for a purpose. It is derived from the seed and from the number of such requests before it in the sandbox
 * and operation, so that the n-th such request of a run has the same fate in every run. `counter` names the count; default: the purpose.
 */
export async function drawChance(
  exchange: Exchange,
  purpose: string,
  store: Store,
  counter = purpose,
): Promise<Chance> {
  const { id } = operationOf(exchange)
  const { name } = exchange.sandbox
  const index = await store.nextSequenceIndex(name, `chance ${id} ${counter}`)
  return (label) => deriveChance([exchange.seed, name, id, purpose, index, label])
}

/** Returns true where chance lets the scenario act, by its parameter `p`. */
export function fires({ values }: ActiveScenario, chance: Chance): boolean {
  const p = numberOf(values, 'p')
  return p === 1 || chance('p') < p
}

/** Returns the item of the sequence for this request, in the order of arrival. `prefix` tells the sequences of rules from those of requests. */
export async function nextItem(
  exchange: Exchange,
  sequence: Sequence,
  store: Store,
  prefix = sequencePrefix,
): Promise<ActiveScenario> {
  const key = `${prefix}${operationOf(exchange).id} ${sequence.text}`
  const index = await store.nextSequenceIndex(exchange.sandbox.name, key)
  const item = itemAt(sequence, index)
  if (exchange.trace) {
    const place = `item ${positionAt(sequence, index) + 1} of ${sequence.items.length}`
    exchange.trace.decisions.push(
      `Request ${index + 1} of the sequence "${sequence.text}" gets ${place}, "${item.text}".`,
    )
  }
  return item
}

/**
 * Returns the reason why a matching rule does not act on this request; undefined where it acts. Its `probability` is drawn first, then
 * its `times` are counted.
 */
export async function findRuleRest(
  exchange: Exchange,
  rule: ActiveRule,
  index: number,
  store: Store,
): Promise<string | undefined> {
  const { probability, times } = rule
  const spared = `does not act: chance spares the request (probability ${probability})`
  const usedUp = `does not act: it is used up (times ${times})`
  if (probability === 0) return spared
  if (times === 0) return usedUp
  const key = ruleTimesKey(rule)
  if (probability < 1) {
    // The key counts the lists of rules that were put before, in other sandboxes too, so it may name the count but not decide the chance.
    const chance = await drawChance(exchange, `rule ${index}`, store, key)
    if (chance('probability') >= probability) return spared
  }
  if (times === undefined || (await store.nextSequenceIndex(exchange.sandbox.name, key)) < times)
    return undefined
  return usedUp
}
