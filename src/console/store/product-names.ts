import { asText, shortId } from '../ui/text.ts'
import { useAnswer } from './use-answer.ts'

/** Returns a function for the name of a product of the fixtures; the id stands for any other product. */
export function useProductNames(): (id: unknown) => string {
  const products = useAnswer('/catalogue').value?.products ?? []
  const names = new Map(products.map(({ id, name }) => [id, name]))
  return (id) => (id === undefined ? '' : (names.get(asText(id).toLowerCase()) ?? shortId(asText(id))))
}
