import { computed, effect, signal } from '@preact/signals'
import { type Asked, ask, type Schema } from '../api/ask.ts'
import { asText, shortId } from '../ui/text.tsx'
import { connection } from './live.ts'
import { revisions } from './server.ts'

/** The scenarios, operations, models and products of the simulator; empty until they are read. */
export const catalogue = signal<Schema<'Catalogue'>>({
  scenarios: [],
  operations: [],
  keys: [],
  models: [],
  products: [],
})

effect(() => {
  void [revisions.value, connection.value]
  void ask('get', '/catalogue').then(({ value }) => {
    if (value) catalogue.value = value
  })
})

const names = computed(() => {
  const { models, products } = catalogue.value
  return new Map([...models, ...products].map(({ id, name }) => [id.toLowerCase(), name]))
})

/** Returns the name of a model or product, or undefined if the fixtures do not have the id. */
export const nameOf = (id: string): string | undefined => names.value.get(id.toLowerCase())

/** Returns the name of a model or product; the id stands for any other. */
export const nameOrId = (id: unknown): string => nameOf(asText(id)) ?? shortId(asText(id))

/** Groups scenarios by their family, in the order in which the families first occur. */
export function groupByFamily<Item extends { readonly family: string }>(items: readonly Item[]): [string, Item[]][] {
  const families = new Map<string, Item[]>()
  for (const item of items) families.set(item.family, [...(families.get(item.family) ?? []), item])
  return [...families]
}

export type Rules = readonly Schema<'Rule'>[]

export type ChangedRules = Promise<Asked<Schema<'RuleList'>>>

/** Adds a rule before the other rules of a sandbox, whose counts stay, since the first rule that acts decides. */
export const addRule = (sandbox: string, rule: Schema<'Rule'>): ChangedRules =>
  ask('post', '/scenarios', { query: { sandbox, position: 'first' }, body: { rules: [rule] } })

/**
 * Replaces the rules of a sandbox that the page has shown. Changes nothing if another client has changed them, or if
 * `rules` is undefined, since the rules that are shown are not those that the user wanted to change.
 */
export async function replaceRules(sandbox: string, shown: Rules, rules: Rules | undefined): ChangedRules {
  const query = { sandbox }
  const present = await ask('get', '/scenarios', { query })
  if (present.problem) return present
  if (rules && JSON.stringify(present.value.rules) === JSON.stringify(shown))
    return ask('put', '/scenarios', { query, body: { rules } })
  const sentence = 'The rules were changed meanwhile. They are shown now; change them again.'
  return { problem: { status: undefined, sentence } }
}
