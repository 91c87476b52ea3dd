import { deriveChance } from '../core/seeded.ts'
import { type Exchange, operationOf } from '../exchange/exchange.ts'
import type { ActiveScenario } from '../scenarios/catalogue.ts'
import type { Chance } from '../scenarios/effects.ts'
import { numberOf } from '../scenarios/parameters.ts'
import { itemAt, type Sequence, sequencePrefix } from '../scenarios/parse.ts'
import type { RuleSet } from '../scenarios/rules.ts'
import type { Store } from '../state/store.ts'

/**
 * The chance of this request's turn: seeded, and counted by sandbox, operation and what it is for, so that the n-th
 * such request of a run meets the same fate in every run. `count`: whose turns are counted, where that is not the purpose.
 */
export async function drawChance(
  exchange: Exchange,
  purpose: string,
  store: Store,
  count = purpose,
): Promise<Chance> {
  const { id } = operationOf(exchange)
  const { name } = exchange.sandbox
  const turn = await store.nextSequenceIndex(name, `chance ${id} ${count}`)
  return (label) => deriveChance([exchange.seed, name, id, purpose, turn, label])
}

/** Whether chance lets the scenario act: its parameter `p`. */
export function fires({ values }: ActiveScenario, chance: Chance): boolean {
  const p = numberOf(values, 'p')
  return p === 1 || chance('p') < p
}

/** The item of the sequence that this request meets, in order of arrival. `prefix`: whose sequence it is. */
export async function nextItem(
  exchange: Exchange,
  sequence: Sequence,
  store: Store,
  prefix = sequencePrefix,
): Promise<ActiveScenario> {
  const key = `${prefix}${operationOf(exchange).id} ${sequence.text}`
  return itemAt(sequence, await store.nextSequenceIndex(exchange.sandbox.name, key))
}

/** Whether a rule that is about this request still acts: its `probability` first, then its `times`. */
export async function withinTimes(
  exchange: Exchange,
  set: RuleSet,
  index: number,
  store: Store,
): Promise<boolean> {
  const rule = set.rules[index]
  if (!rule || rule.probability === 0 || rule.times === 0) return false
  const key = `rule ${set.id} ${index}`
  if (rule.probability < 1) {
    // The set's id tells only which sets came before it, perhaps in other sandboxes: it must not settle anybody's fate.
    const chance = await drawChance(exchange, `rule ${index}`, store, key)
    if (chance('probability') >= rule.probability) return false
  }
  return rule.times === undefined || (await store.nextSequenceIndex(exchange.sandbox.name, key)) < rule.times
}
