import { computed, effect, signal } from '@preact/signals'
import type { Schema } from '../api/answers.ts'
import { ask } from '../api/ask.ts'
import { connection } from './live.ts'
import { changeTick } from './server.ts'

/** The scenarios, operations, models and products of the simulator; undefined until they are read. */
export const catalogue = signal<Schema<'Catalogue'> | undefined>(undefined)

effect(() => {
  void changeTick.value
  if (connection.value > 0)
    void ask('get', '/catalogue').then((asked) => {
      if (asked.ok) catalogue.value = asked.value
    })
})

/** The names of models and products by their ids. */
const names = computed(() => {
  const { models = [], products = [] } = catalogue.value ?? {}
  return new Map([...models, ...products].map(({ id, name }) => [id.toLowerCase(), name]))
})

/** Returns the name of a model or product, or undefined if the fixtures do not have the id. */
export const nameOf = (id: string): string | undefined => names.value.get(id.toLowerCase())

/** Groups scenarios by their family, in the order in which the families first occur. */
export function groupByFamily<Item extends { readonly family: string }>(items: readonly Item[]): [string, Item[]][] {
  const families = new Map<string, Item[]>()
  for (const item of items) families.set(item.family, [...(families.get(item.family) ?? []), item])
  return [...families]
}
