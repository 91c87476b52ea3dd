import { fromLatin1 } from '../../base/core/bytes.ts'
import { measureJson, parseJson } from '../../base/core/json.ts'
import { decode, readJson } from '../../base/core/strict-json.ts'
import { cutText } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import { redactHeaders, redactViolations } from '../../base/redaction/redact.ts'
import { findOwnToken, minTokenLength, redacted, redactToken } from '../../base/redaction/redact-token.ts'
import type { Exchange } from '../../server/pipeline/exchange.ts'
import { decodeBody, tooLong } from '../../server/upstream/client.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isJson, matchMediaType } from '../../service/contract/media-types.ts'
import type { DeliveryOutcome } from '../../service/exchange/delivery.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { maxCheckedBytes, maxCheckedValues, RecordingRelay, toBody } from './upstream-body.ts'

/**
 * Returns the real service's response as it is recorded after its delivery: the part of the body that passed, decoded,
 * and without the environment's `token`. Checks a response that passed whole. Other replies are returned unchanged.
 */
export function responseToRecord(
  exchange: Exchange,
  reply: Reply,
  outcome: DeliveryOutcome,
  token: string | undefined,
): Reply {
  if (exchange.stage !== 'handle') return reply
  // A token that is shorter than a credential is a part of unrelated words.
  const secret = token === undefined || token.length < minTokenLength ? undefined : token
  const { relay } = reply
  const response = relay instanceof RecordingRelay ? withPassedBody(exchange, reply, relay, outcome) : reply
  exchange.responseViolations = redactViolations(exchange.responseViolations, secret)
  judgeUnknown(exchange, reply)
  const clean = withoutToken(response, secret)
  return { ...clean, headers: redactHeaders(clean.headers, findOwnToken(exchange.request.headers)) }
}

/** Adds the violation of a request that the real service responds to, and that matches no operation of the contract. */
function judgeUnknown(exchange: Exchange, { origin, status }: Reply): void {
  const { operation, request, path } = exchange
  if (operation || origin !== 'upstream' || status >= 400) return
  const message =
    `the contract has no operation ${request.method} ${path}, ` + `and the real service returns it with ${status}`
  exchange.violations = [...exchange.violations, { in: 'path', pointer: '', keyword: 'operation', message }]
}

/** Replaces the relay of a reply by the body that passed, and adds its findings to the exchange. */
function withPassedBody(exchange: Exchange, reply: Reply, relay: RecordingRelay, outcome: DeliveryOutcome): Reply {
  relay.cancel() // its client may have left
  const { relay: _, ...head } = reply
  const { mediaType, size, isWhole } = relay
  const bytes = relay.recordedBytes()
  const decoded = decodeBody(bytes, reply.headers['content-encoding'], maxCheckedBytes)
  const findings = (): readonly Violation[] => {
    if (relay.isBroken) return [broken('connection', `was broken off by the real service after ${size} bytes`)]
    if (!exchange.operation || outcome.kind !== 'delivered') return []
    if (decoded.ok) return checkResponse(exchange, { status: reply.status, mediaType, isWhole, bytes: decoded.value })
    if (isWhole && decoded.error !== tooLong) return [broken('encoding', decoded.error)]
    adviseOfBound(exchange)
    return []
  }
  exchange.responseViolations = findings()
  return {
    ...head,
    headers: mediaType === undefined ? head.headers : { 'content-type': mediaType, ...head.headers },
    body: toBody(decoded.ok ? decoded.value : bytes, mediaType),
    ...(!isWhole && { passedBytes: size }),
  }
}

function withoutToken(reply: Reply, token: string | undefined): Reply {
  const { body, cookies = [], ...head } = reply
  const headers = cookies.length > 0 ? { ...head.headers, 'set-cookie': redacted } : head.headers
  const clean = { ...head, headers: redactHeaders(headers, token), body }
  const sent = body?.latin1() ?? ''
  const redactedBody = redactToken(sent, token)
  return redactedBody === sent ? clean : { ...clean, body: toBody(fromLatin1(redactedBody), body?.mediaType) }
}

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
function checkResponse(exchange: Exchange, response: ReceivedResponse): readonly Violation[] {
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

function adviseOfBound(exchange: Exchange): void {
  const bounds = `${maxCheckedValues} members and items, or ${maxCheckedBytes} bytes`
  exchange.advice = [...exchange.advice, broken('bound', `is not checked, since it has more than ${bounds}`)]
}

function broken(keyword: string, message: string): Violation {
  return { in: 'response', pointer: '', keyword, message }
}
