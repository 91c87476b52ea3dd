import { measureJson, parseJson } from '../../base/core/json.ts'
import { decode, readJson } from '../../base/core/strict-json.ts'
import { cutText } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Exchange } from '../../server/pipeline/exchange.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../service/contract/media-types.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { maxCheckedBytes, maxCheckedValues } from './upstream-body.ts'

/** Checks a whole response of the real service before a scenario damages it; a relayed one is checked at its end. */
export function checkUpstreamResponse(exchange: Exchange, reply: Reply): Reply {
  const { status, body, relay } = reply
  const bytes = body?.bytes() ?? new Uint8Array(0)
  if (!relay)
    exchange.responseViolations = checkResponse(exchange, { status, mediaType: body?.mediaType, bytes, isWhole: true })
  return reply
}

interface ReceivedResponse {
  readonly status: number
  readonly mediaType: string | undefined
  /** Empty for a response without a body. */
  readonly bytes: Uint8Array
  /** False where `bytes` has only the beginning of the body. */
  readonly isWhole: boolean
}

/**
 * Returns every rule of the contract that a response of the real service breaks: status, media type, JSON, schema. The
 * body of a response that is too large is not checked, which the advice of the exchange says.
 */
export function checkResponse(exchange: Exchange, response: ReceivedResponse): readonly Violation[] {
  const { operation } = exchange
  const { status, mediaType, bytes } = response
  if (!operation) return []
  const undocumented = operation.checkResponse(status, null).filter(({ keyword }) => keyword === 'status')
  if (undocumented.length > 0) return undocumented
  if (!operation.responseSchema(status) || operation.method === 'HEAD') return []
  if (bytes.length === 0) return [broken('required', 'has no body, and the contract describes one')]
  if (!isJson(mediaType ?? '')) {
    const documented = operation.responseMediaTypes(status)
    if (mediaType !== undefined && matchMediaType(documented, mediaType) !== undefined) return []
    const got = mediaType === undefined ? 'has no Content-Type' : `has the Content-Type "${cutText(mediaType)}"`
    return [broken('media-type', `${got}, and the contract describes ${documented.join(' or ')}`)]
  }
  return checkJson(exchange, operation, response)
}

function checkJson(
  exchange: Exchange,
  operation: Operation,
  { status, bytes, isWhole }: ReceivedResponse,
): Violation[] {
  const { members } = measureJson(parseJson(decode(bytes) ?? '') ?? null)
  if (!isWhole || members > maxCheckedValues) {
    adviseOfBound(exchange)
    return []
  }
  const read = readJson(bytes, maxCheckedValues)
  if (!read.ok) return [{ ...broken('json', read.error.message), pointer: read.error.pointer }]
  return operation.checkResponse(status, read.value)
}

export function adviseOfBound(exchange: Exchange): void {
  const bounds = `${maxCheckedValues} members and items, or ${maxCheckedBytes} bytes`
  exchange.advice = [...exchange.advice, broken('bound', `is not checked, since it has more than ${bounds}`)]
}

/** Returns a broken rule about a response as a whole. */
export function broken(keyword: string, message: string): Violation {
  return { in: 'response', pointer: '', keyword, message }
}
