import type { Operation } from '../contract/contract.ts'
import { isJson } from '../contract/media-types.ts'
import { cutText } from '../core/cut-text.ts'
import { decode, hasMoreValues, readJson } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'
import type { Reply } from '../exchange/reply.ts'
import type { Exchange } from '../pipeline/exchange.ts'
import { maxCheckedBytes, maxCheckedValues } from './ask-upstream.ts'
import { cutJson } from './cut-json.ts'

/** Checks a whole answer of the real service before a scenario damages it; one that passes on, at its end. */
export function checkUpstreamAnswer(exchange: Exchange, reply: Reply): Reply {
  const { operation } = exchange
  if (operation && !reply.relay)
    exchange.answerViolations = checkAnswer(exchange, operation, {
      status: reply.status,
      mediaType: reply.body?.mediaType,
      bytes: reply.body?.bytes() ?? new Uint8Array(0),
      isWhole: true,
    })
  return reply
}

/** An answer of the real service, decoded. */
export interface ReceivedAnswer {
  readonly status: number
  readonly mediaType: string | undefined
  /** Empty for an answer without a body. */
  readonly bytes: Uint8Array
  /** False where `bytes` has only the beginning of the body. */
  readonly isWhole: boolean
}

/**
 * Returns every rule of the contract that an answer of the real service breaks: status, media type, JSON, schema. Of an
 * answer that is too large only the beginning is judged, which the advice of the exchange says.
 */
export function checkAnswer(exchange: Exchange, operation: Operation, answer: ReceivedAnswer): readonly Violation[] {
  const { status, mediaType, bytes } = answer
  const undocumented = operation.checkResponse(status, null).filter(({ keyword }) => keyword === 'status')
  if (undocumented.length > 0) return undocumented
  if (!operation.responseSchema(status)) return []
  if (bytes.length === 0) return [broken('required', 'has no body, and the contract describes one')]
  if (!isJson((mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '')) {
    const got = mediaType === undefined ? 'has no Content-Type' : `has the Content-Type "${cutText(mediaType)}"`
    return [broken('media-type', `${got}, and the contract describes JSON`)]
  }
  return checkJson(exchange, operation, answer)
}

function checkJson(
  exchange: Exchange,
  operation: Operation,
  { status, bytes, isWhole }: ReceivedAnswer,
): readonly Violation[] {
  const text = isWhole ? (decode(bytes) ?? '') : Buffer.from(bytes).toString()
  const beginning = isWhole && !hasMoreValues(text, maxCheckedValues) ? undefined : cutJson(text, maxCheckedValues)
  if (beginning) adviseOfBound(exchange)
  const read = readJson(beginning ? Buffer.from(beginning.text) : bytes, maxCheckedValues)
  if (!read.ok) return [{ ...broken('json', read.error.message), pointer: read.error.pointer }]
  const violations = operation.checkResponse(status, read.value)
  return beginning ? violations.filter((one) => !mayComeFromCut(one, beginning.cut)) : violations
}

/** Adds the advice that only the beginning of an answer was checked. */
export function adviseOfBound(exchange: Exchange): void {
  const bounds = `${maxCheckedValues} members and items, and ${maxCheckedBytes} bytes`
  const advice = broken('bound', `is checked up to ${bounds}; what follows is not`)
  exchange.advice = [...exchange.advice, advice]
}

/** The rules that an object or array breaks even if more of it follows. */
const certainKeywords = ['type', 'maxItems', 'maxProperties', 'propertyNames', 'additionalProperties']

/** Returns true for a rule that may be broken only by the cut. `cut` has the pointers of what lacks members. */
function mayComeFromCut({ keyword, pointer }: Violation, cut: ReadonlySet<string>): boolean {
  if (keyword === 'required' || keyword === 'dependentRequired')
    return cut.has(pointer.slice(0, pointer.lastIndexOf('/')))
  return cut.has(pointer) && !certainKeywords.includes(keyword)
}

/** Returns a broken rule about an answer as a whole. */
export function broken(keyword: string, message: string): Violation {
  return { in: 'response', pointer: '', keyword, message }
}
