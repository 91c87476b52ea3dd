import type { SentParameters } from '../contract/contract.ts'
import type { Exchange } from '../exchange.ts'
import { readQuery } from '../query.ts'

/** The parameters as they were sent; a repeated query parameter is an array. */
export function sentParameters({ request, pathParameters }: Exchange): SentParameters {
  return { path: pathParameters, query: readQuery(request.query), header: request.headers }
}
