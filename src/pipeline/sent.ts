import type { SentParameters } from '../contract/contract.ts'
import type { Exchange } from '../exchange.ts'

/** The parameters as they were sent; a repeated query parameter is an array. */
export function sentParameters({ request, pathParameters }: Exchange): SentParameters {
  const query: Record<string, string | string[]> = {}
  const sent = new URLSearchParams(request.query)
  for (const name of new Set(sent.keys())) {
    const values = sent.getAll(name)
    query[name] = values.length > 1 ? values : (values[0] ?? '')
  }
  const header: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) header[name] = value
  return { path: pathParameters, query, header }
}
