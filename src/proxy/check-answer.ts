import type { Operation } from '../contract/contract.ts'
import { isJson } from '../contract/media-types.ts'
import { cutText } from '../core/cut-text.ts'
import { decode, hasMoreValues, readJson } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'
import type { Reply } from '../exchange/reply.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { maxCheckedValues } from './answer-body.ts'

/** Checks an answer of the real service that is there as a whole, before a scenario damages it. One that passes on is checked at its end. */
export function checkUpstreamAnswer(exchange: Exchange, reply: Reply): Reply {
  const { operation } = exchange
  if (operation && !reply.relay)
    exchange.answerViolations = checkAnswer(operation, {
      status: reply.status,
      mediaType: reply.body?.mediaType,
      bytes: reply.body?.bytes() ?? new Uint8Array(0),
    })
  return reply
}

/** An answer of the real service, decoded. */
export interface ReceivedAnswer {
  readonly status: number
  readonly mediaType: string | undefined
  /** Empty for an answer without a body. */
  readonly bytes: Uint8Array
}

/**
 * Returns every rule of the contract that an answer of the real service breaks: its status, its media type, its JSON, its schema.
 * An answer with more than `maxCheckedValues` members and items is not judged further than its media type.
 */
export function checkAnswer(
  operation: Operation,
  { status, mediaType, bytes }: ReceivedAnswer,
): readonly Violation[] {
  const undocumented = operation.checkResponse(status, null).filter(({ keyword }) => keyword === 'status')
  if (undocumented.length > 0) return undocumented
  if (!operation.responseSchema(status)) return []
  if (bytes.length === 0) return [broken('required', 'has no body, and the contract describes one')]
  if (!isJson((mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')) {
    const got =
      mediaType === undefined ? 'has no Content-Type' : `has the Content-Type "${cutText(mediaType)}"`
    return [broken('media-type', `${got}, and the contract describes JSON`)]
  }
  if (hasMoreValues(decode(bytes) ?? '', maxCheckedValues)) return []
  const read = readJson(bytes, maxCheckedValues)
  if (!read.ok)
    return [{ in: 'response', pointer: read.error.pointer, keyword: 'json', message: read.error.message }]
  return operation.checkResponse(status, read.value)
}

/** Returns a broken rule about an answer as a whole. */
export function broken(keyword: string, message: string): Violation {
  return { in: 'response', pointer: '', keyword, message }
}
