import type { SentParameters } from '../contract/contract.ts'
import type { Exchange } from '../exchange.ts'
import { readQuery } from '../query.ts'

/** The parameters as they were sent; a repeated query parameter is an array. */
export function sentParameters({ request, pathParameters }: Exchange): SentParameters {
  const header: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) header[name] = value
  return { path: pathParameters, query: readQuery(request.query), header }
}
