import { signal } from '@preact/signals'
import type { Schema } from '../api/answers.ts'
import { type Asked, ask } from '../api/ask.ts'

/** Grows with each change of rules that this page makes. */
export const ruleChanges = signal(0)

type Rules = readonly Schema<'Rule'>[]

/** The rules after a change. */
type ChangedRules = Promise<Asked<Schema<'RuleList'>>>

/** Adds a rule before the other rules of a sandbox, since the first rule that acts decides. */
export async function addRule(sandbox: string, rule: Schema<'Rule'>): ChangedRules {
  const present = await ask('get', '/scenarios', { query: { sandbox } })
  return present.ok ? putRules(sandbox, [rule, ...present.value.rules]) : present
}

/** Replaces the rules of a sandbox that the page has shown. It changes nothing if another client has changed them meanwhile. */
export async function replaceRules(sandbox: string, shown: Rules, rules: Rules): ChangedRules {
  const present = await ask('get', '/scenarios', { query: { sandbox } })
  if (!present.ok) return present
  if (JSON.stringify(present.value.rules) === JSON.stringify(shown)) return putRules(sandbox, rules)
  const sentence = 'Another client has changed the rules meanwhile. They are shown now; change them again.'
  return { ok: false, problem: { status: undefined, sentence } }
}

async function putRules(sandbox: string, rules: Rules): ChangedRules {
  const changed = await ask('put', '/scenarios', { query: { sandbox }, body: { rules } })
  if (changed.ok) ruleChanges.value += 1
  return changed
}

/** Returns the list with the item at an index moved by a number of places. */
export function moveItem<Item>(items: readonly Item[], index: number, by: number): Item[] {
  const others = items.filter((_, at) => at !== index)
  return [...others.slice(0, index + by), ...items.slice(index, index + 1), ...others.slice(index + by)]
}
