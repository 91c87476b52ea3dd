import { computed, effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, type Schema } from '../api/ask.ts'
import { asText, shortId } from '../ui/text.tsx'
import { connection } from './live.ts'
import { changeTick } from './server.ts'
import { type LiveResponse, useResponse } from './use-response.ts'

/** The scenarios, operations, models and products of the simulator; undefined until they are read. */
export const catalogue = signal<Schema<'Catalogue'> | undefined>(undefined)

let questions = 0

effect(() => {
  void changeTick.value
  const question = ++questions
  if (connection.value > 0)
    void ask('get', '/catalogue').then((asked) => {
      if (asked.ok && question === questions) catalogue.value = asked.value
    })
})

/** Asks for the catalogue as long as a view is shown, also where the stream of requests cannot be opened. */
export function useCatalogue(): LiveResponse<Schema<'Catalogue'>> {
  const asked = useResponse('/catalogue')
  useEffect(() => {
    if (asked.value) catalogue.value = asked.value
  }, [asked.value])
  return asked
}

/** Returns a function for the name of a product of the fixtures; the id stands for any other product. */
export function useProductNames(): (id: unknown) => string {
  const products = useCatalogue().value?.products ?? []
  const names = new Map(products.map(({ id, name }) => [id, name]))
  return (id) => (id === undefined ? '' : (names.get(asText(id).toLowerCase()) ?? shortId(asText(id))))
}

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
