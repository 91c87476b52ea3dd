import type { Violation } from '../../base/core/json.ts'
import { maxDepth } from '../../base/core/json-syntax.ts'
import { fromLatin1 } from '../../base/core/text.ts'
import { redactHeaders, redactViolations } from '../../base/redaction/redact.ts'
import { findOwnToken, minTokenLength, redacted, redactToken } from '../../base/redaction/redact-token.ts'
import type { Exchange } from '../../server/pipeline/exchange.ts'
import { checkServiceResponse, type ReceivedResponse } from '../../server/upstream/check-response.ts'
import { decodeBody, tooLong } from '../../server/upstream/client.ts'
import { isJson } from '../../service/contract/media-types.ts'
import type { DeliveryOutcome, Reply } from '../../service/exchange/reply.ts'
import { maxCheckedBytes, maxCheckedValues, RecordingRelay, toBody } from './upstream-body.ts'

/**
 * Returns the reply to record in the journal, with tokens redacted and the recorded part of a streamed body decoded.
 * Also records the violations in a streamed response. Returns replies from earlier stages unchanged.
 */
export function responseToRecord(
  exchange: Exchange,
  reply: Reply,
  outcome: DeliveryOutcome,
  token: string | undefined,
): Reply {
  if (exchange.stage !== 'handle') return reply
  // A very short token is not redacted, since it could also occur in unrelated words.
  const secret = token === undefined || token.length < minTokenLength ? undefined : token
  const { relay } = reply
  const response = relay instanceof RecordingRelay ? withRecordedBody(exchange, reply, relay, outcome) : reply
  exchange.responseViolations = redactViolations(exchange.responseViolations, secret)
  judgeUnknownOperation(exchange, reply)
  const clean = withoutToken(response, secret)
  return { ...clean, headers: redactHeaders(clean.headers, findOwnToken(exchange.request.headers)) }
}

/** Adds a violation if the real service accepts a request that matches no operation in the contract. */
function judgeUnknownOperation(exchange: Exchange, { origin, status }: Reply): void {
  const { operation, request, path } = exchange
  if (operation || origin !== 'upstream' || status >= 400) return
  const message =
    `the contract has no operation ${request.method} ${path}, ` + `but the real service responds with ${status}`
  exchange.violations = [...exchange.violations, { in: 'path', pointer: '', keyword: 'operation', message }]
}

function withRecordedBody(exchange: Exchange, reply: Reply, relay: RecordingRelay, outcome: DeliveryOutcome): Reply {
  relay.cancel() // the client may have disconnected
  const { relay: _, ...head } = reply
  const { mediaType = '', size, isWhole } = relay
  const bytes = relay.recordedBytes()
  const decoded = decodeBody(bytes, reply.headers['content-encoding'], maxCheckedBytes)
  const findViolations = (): readonly Violation[] => {
    if (relay.isBroken) return [violationOf('connection', `was cut off by the real service (bytes received: ${size})`)]
    if (!exchange.operation || outcome.kind !== 'delivered') return []
    if (isWhole && !decoded.ok && decoded.error !== tooLong) return [violationOf('encoding', decoded.error)]
    const whole = isWhole && decoded.ok ? decoded.value : undefined
    return checkResponse(exchange, { status: reply.status, mediaType, bytes: whole })
  }
  exchange.responseViolations = findViolations()
  return {
    ...head,
    headers: mediaType === '' ? head.headers : { 'content-type': mediaType, ...head.headers },
    body: toBody(decoded.ok ? decoded.value : bytes, relay.mediaType),
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

/** Checks a buffered response before a scenario damages it. A streamed response is checked after it ends. */
export function checkUpstreamResponse(exchange: Exchange, reply: Reply): Reply {
  const { status, body, relay } = reply
  const bytes = body?.bytes() ?? new Uint8Array(0)
  if (!relay) exchange.responseViolations = checkResponse(exchange, { status, mediaType: body?.mediaType ?? '', bytes })
  return reply
}

/** Returns the contract violations in a response. If the body is too large to check, adds advice that says so. */
function checkResponse(exchange: Exchange, response: ReceivedResponse): readonly Violation[] {
  const { operation } = exchange
  if (!operation) return []
  const { violations, isTooLarge } = checkServiceResponse(operation, response, maxCheckedValues)
  if (isTooLarge || (response.bytes === undefined && isJson(response.mediaType) && violations.length === 0)) {
    const [values, bytes] = [maxCheckedValues, maxCheckedBytes].map((bound) => bound.toLocaleString('en'))
    const bounds = `${values} members and items, ${maxDepth} levels, or ${bytes} bytes`
    exchange.advice = [...exchange.advice, violationOf('bound', `is not checked, since it has more than ${bounds}`)]
  }
  return violations
}

const violationOf = (keyword: string, message: string): Violation => ({ in: 'response', pointer: '', keyword, message })
