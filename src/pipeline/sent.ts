import type { RawParameters } from '../contract/contract.ts'
import { readQuery } from '../core/query-string.ts'
import type { Exchange } from '../exchange/exchange.ts'

/** The parameters as they were sent, read once, behind `identify`; a repeated query parameter is an array. */
export function rawParametersOf(exchange: Exchange): RawParameters {
  const { request, pathParameters } = exchange
  exchange.rawParameters ??= {
    path: pathParameters,
    query: readQuery(request.query),
    header: request.headers,
  }
  return exchange.rawParameters
}
