import type { SentParameters } from '../contract/contract.ts'
import { readQuery } from '../core/query-string.ts'
import type { Exchange } from '../exchange/exchange.ts'

/** The parameters as they were sent, read once, behind `identify`; a repeated query parameter is an array. */
export function sentParameters(exchange: Exchange): SentParameters {
  const { request, pathParameters } = exchange
  exchange.sent ??= { path: pathParameters, query: readQuery(request.query), header: request.headers }
  return exchange.sent
}
