import { computed, signal } from '@preact/signals'
import { type Asked, ask, type Schema } from '../api/ask.ts'
import { changeTick } from './server.ts'

/** The number of changes of rules that this page has made. */
const ownChanges = signal(0)

/** Grows with each change of rules, by this page or another client. */
export const ruleChanges = computed(() => ownChanges.value + changeTick.value)

/** The rules of a sandbox in their order. */
export type Rules = readonly Schema<'Rule'>[]

/** The rules after a change. */
export type ChangedRules = Promise<Asked<Schema<'RuleList'>>>

/** Adds a rule before the other rules of a sandbox, whose counts stay, since the first rule that acts decides. */
export async function addRule(sandbox: string, rule: Schema<'Rule'>): ChangedRules {
  const query = { sandbox, position: 'first' } as const
  return countOwnChange(await ask('post', '/scenarios', { query, body: { rules: [rule] } }))
}

/**
 * Replaces the rules of a sandbox that the page has shown. Changes nothing if another client has changed them, or if
 * `rules` is undefined, since the rules that are shown are not those that the user wanted to change.
 */
export async function replaceRules(sandbox: string, shown: Rules, rules: Rules | undefined): ChangedRules {
  const present = await ask('get', '/scenarios', { query: { sandbox } })
  if (!present.ok) return present
  if (rules && JSON.stringify(present.value.rules) === JSON.stringify(shown)) return putRules(sandbox, rules)
  const sentence = 'The rules were changed meanwhile. They are shown now; change them again.'
  return { ok: false, problem: { status: undefined, sentence } }
}

async function putRules(sandbox: string, rules: Rules): ChangedRules {
  return countOwnChange(await ask('put', '/scenarios', { query: { sandbox }, body: { rules } }))
}

function countOwnChange<Changed>(changed: Asked<Changed>): Asked<Changed> {
  if (changed.ok) ownChanges.value += 1
  return changed
}

/** Returns the list with the item at an index moved by a number of places. */
export function moveItem<Item>(items: readonly Item[], index: number, by: number): Item[] {
  const others = items.filter((_, at) => at !== index)
  return [...others.slice(0, index + by), ...items.slice(index, index + 1), ...others.slice(index + by)]
}
