import { fromLatin1 } from '../../base/core/bytes.ts'
import type { Violation } from '../../base/core/violation.ts'
import { redactHeaders, redactViolations } from '../../base/redaction/redact.ts'
import { findOwnToken, minTokenLength, redacted, redactToken } from '../../base/redaction/redact-token.ts'
import type { Exchange } from '../../server/pipeline/exchange.ts'
import type { DeliveryOutcome } from '../../service/exchange/delivery.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { maxCheckedBytes, relays, toBody } from './ask-upstream.ts'
import { adviseOfBound, broken, checkResponse } from './check-response.ts'
import { decodeResponseBody, tooLong } from './decode-body.ts'
import type { RecordingRelay } from './relay.ts'

/**
 * Returns the real service's response as it is recorded after its delivery: the part of the body that passed, decoded,
 * and without the environment's `token`. Checks a response that passed whole. Other replies are returned as they are.
 */
export function responseToRecord(
  exchange: Exchange,
  reply: Reply,
  outcome: DeliveryOutcome,
  token: string | undefined,
): Reply {
  const relay = relays.get(exchange)
  // A token that is shorter than a credential is a part of unrelated words.
  const secret = token === undefined || token.length < minTokenLength ? undefined : token
  if (!relay) return judgeUnknown(exchange, reply)
  relay.cancel() // its client may have left
  const response = reply.relay ? withPassedBody(exchange, reply, relay, outcome) : reply
  exchange.responseViolations = redactViolations(exchange.responseViolations, secret)
  const recorded = judgeUnknown(exchange, withoutToken(response, secret))
  const headers = redactHeaders(recorded.headers, findOwnToken(exchange.request.headers))
  const { isWhole, size } = relay.copy()
  return { ...recorded, headers, ...(!isWhole && { passedBytes: size }) }
}

/** Adds the violation of a request that the real service responds, and that matches no operation of the contract. */
function judgeUnknown(exchange: Exchange, reply: Reply): Reply {
  const { operation, request, path } = exchange
  if (operation || reply.origin !== 'upstream' || reply.status >= 400) return reply
  const message =
    `the contract has no operation ${request.method} ${path}, ` + `and the real service returns it with ${reply.status}`
  exchange.violations = [...exchange.violations, { in: 'path', pointer: '', keyword: 'operation', message }]
  return reply
}

/** Adds the body that passed to the reply, and its findings to the exchange. */
function withPassedBody(exchange: Exchange, reply: Reply, relay: RecordingRelay, outcome: DeliveryOutcome): Reply {
  const { relay: passed, ...head } = reply
  const copy = relay.copy()
  const decoded = decodeResponseBody(copy.bytes, reply.headers['content-encoding'], maxCheckedBytes)
  const findings = (): readonly Violation[] => {
    if (copy.isBroken) return [broken('connection', `was broken off by the real service after ${copy.size} bytes`)]
    if (!exchange.operation || outcome.kind !== 'delivered') return []
    const { status } = reply
    const response = { status, mediaType: passed?.mediaType, isWhole: copy.isWhole }
    if (decoded.ok) return checkResponse(exchange, exchange.operation, { ...response, bytes: decoded.value })
    if (copy.isWhole && decoded.error !== tooLong) return [broken('encoding', decoded.error)]
    adviseOfBound(exchange)
    return []
  }
  exchange.responseViolations = findings()
  const bytes = decoded.ok ? decoded.value : copy.bytes
  const { mediaType } = relay
  const headers = mediaType === undefined ? head.headers : { 'content-type': mediaType, ...head.headers }
  return { ...head, headers, body: bytes.length === 0 ? undefined : toBody(bytes, mediaType) }
}

/** Removes credentials of the proxy and of the service from what is recorded. */
function withoutToken(reply: Reply, token: string | undefined): Reply {
  const { body, cookies = [], ...head } = reply
  const headers = cookies.length > 0 ? { ...head.headers, 'set-cookie': redacted } : head.headers
  const clean = { ...head, headers: redactHeaders(headers, token), body }
  if (token === undefined || !body) return clean
  const sent = body.latin1()
  const redactedBody = redactToken(sent, token)
  return redactedBody === sent ? clean : { ...clean, body: toBody(fromLatin1(redactedBody), body.mediaType) }
}
