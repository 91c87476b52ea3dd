import { toLatin1 } from '../../base/core/bytes.ts'
import type { Log } from '../../base/core/log.ts'
import { redactHead, redactNamed, redactText, redactViolations } from '../../base/redaction/redact.ts'
import { findOwnToken, minTokenLength } from '../../base/redaction/redact-token.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { listHiddenNames } from '../../service/contract/security.ts'
import type { DecisionTrace } from '../../service/exchange/decision-trace.ts'
import {
  type DeliveryOutcome,
  expectedEnd,
  isLong,
  mayBeUnread,
  type OutgoingReply,
} from '../../service/exchange/delivery.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { readTraceId } from '../../service/exchange/request-headers.ts'
import { captureBody, maxResponseBodyBytes } from '../journal/capture-body.ts'
import type { DeliveryEnd, JournalEntry, LiveExchange, Recorded, RecordedBody } from '../journal/entry.ts'
import { bodyToText, roundToMicroseconds } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { type Exchange, jsonOf, rawParametersOf } from './exchange.ts'
import { readError } from './explain-reply.ts'
import { HeldBodies, isLargeBody, release } from './held-bodies.ts'

/** The record of one exchange. */
interface Recording extends Required<Pick<OutgoingReply, 'onEnd' | 'onLeave'>> {
  /**
   * Announces the exchange to other replicas before its reply is sent. If that fails, the reply that `refuse` returns
   * is to be sent and recorded instead. Undefined where nothing is announced.
   */
  readonly announce: ((refuse: (error: unknown) => Reply) => Promise<Reply | undefined>) | undefined
}

interface RecorderDeps {
  readonly contract: Contract
  readonly journal: Journal
  readonly log: Log
  readonly logBodies: boolean
  readonly recordedReply: (exchange: Exchange, reply: Reply, outcome: DeliveryOutcome) => Reply
}

/**
 * Records every exchange in the journal and the log; `debug` adds the reasons for the response, `trace` the headers.
 */
export function record({ contract, journal, log, logBodies, recordedReply }: RecorderDeps) {
  const isTraced = log.isLevelEnabled('trace')
  const hiddenNames = listHiddenNames(contract.document)
  const heldBodies = new HeldBodies()
  const writeLines = ([entry, live]: Recorded, { trace }: Exchange) => {
    const line = logLine(entry, live)
    log.info(logBodies ? { ...line, ...logBodiesOf(entry) } : line, 'responded')
    if (trace) log.debug(decisionLine(entry, trace), 'decided')
    if (isTraced) log.trace(headerLine(entry), 'headers')
  }
  // The duration is that from the receipt until the reply was ready.
  return function record(exchange: Exchange, reply: Reply, durationMs: number): Recording {
    const create = (end: DeliveryEnd): Recorded => {
      if (heldBodies.end(exchange)) jsonOf(exchange)
      const recorded = recordedReply(exchange, sent, end.delivery)
      const token = findOwnKey(exchange.request.headers, hiddenNames)
      const head = { ...redactNamed(redactHead(exchange.request), hiddenNames), token }
      const entry = createEntry(exchange, recorded, head, journal.recorded + 1, durationMs, end)
      return [entry, liveExchangeOf(exchange, recorded)]
    }
    const kept = journal.begin()
    let sent = reply
    let ended: Recorded | undefined
    if (isLong(exchange.delivery)) heldBodies.hold(exchange)
    const onEnd: Recording['onEnd'] = (delivery, sight) => {
      exchange.sandbox.activeRequests -= 1
      try {
        const { headSentAt, hasClientLeft = false } = sight ?? { headSentAt: undefined }
        const end = { delivery, headSentAt, hasClientLeft, endedAt: timeOf(exchange) }
        ended = kept.end(end, () => create(end))
        writeLines(ended, exchange)
        if (isLargeBody(exchange)) {
          // The connection may stay open: the listeners parse the recorded body again, if its end is corrected.
          ended = [ended[0], { ...ended[1], requestBody: undefined, responseBody: undefined }]
          release(exchange)
        }
      } catch (error) {
        // The client has its reply; nobody above could handle the exception.
        log.error({ requestId: exchange.request.id, err: error }, 'a bug in what listens to the journal')
      }
    }
    const onLeave: Recording['onLeave'] = (isReset) => {
      if (!ended) return
      const [entry, live] = ended
      if (isReset || mayBeUnread(entry, timeOf(exchange))) kept.correct([{ ...entry, hasClientLeft: true }, live])
    }
    const announce: Recording['announce'] = async (refuse) => {
      try {
        await kept.announce?.(create(expectedEnd(exchange.delivery, timeOf(exchange))))
        return undefined
      } catch (error) {
        sent = refuse(error)
        return sent
      }
    }
    // How a long delivery ends is not known before.
    return { onEnd, onLeave, announce: kept.announce && !isLong(exchange.delivery) ? announce : undefined }
  }
}

/** Returns the present time by the clock of `receivedAt`. */
const timeOf = ({ request }: Exchange) => request.receivedAt + request.elapsed()

function liveExchangeOf(exchange: Exchange, reply: Reply): LiveExchange {
  const { body, json, operation, caller } = exchange
  return {
    requestBody: body ?? (json?.ok ? json.value : undefined),
    responseBody: reply.body?.value,
    operation,
    rawParameters: rawParametersOf(exchange),
    token: caller?.token,
  }
}

/** Returns the request's own token, or without one its API key in a header that the contract declares. */
function findOwnKey(headers: SimRequest['headers'], names: readonly string[]): string | undefined {
  if (headers['authorization'] !== undefined) return findOwnToken(headers)
  return names.map((name) => headers[name] ?? '').find((key) => key.length >= minTokenLength)
}

function createEntry(
  exchange: Exchange,
  reply: Reply,
  { path, query, headers, token }: ReturnType<typeof redactHead> & { readonly token: string | undefined },
  number: number,
  durationMs: number,
  end: DeliveryEnd,
): JournalEntry {
  const { request, scenarios } = exchange
  return {
    id: request.id,
    number,
    at: request.at,
    now: exchange.now,
    durationMs: Math.round(durationMs * 1000) / 1000, // microseconds
    delayMs: exchange.delivery.delayMs,
    receivedAt: request.receivedAt,
    openedAt: request.openedAt,
    headSentAt: end.headSentAt,
    endedAt: end.endedAt,
    sandbox: exchange.sandbox.name,
    operation: exchange.operation?.id,
    request: { method: request.method, path, query, headers, body: loggedBodyOf(exchange) },
    ownToken: token,
    authorization: request.headers['authorization'],
    aborted: request.body.kind === 'aborted',
    response: {
      status: reply.status,
      headers: responseHeaders(exchange, reply, token),
      body: captureResponse(reply),
      origin: reply.origin,
    },
    delivery: request.body.kind === 'aborted' ? neverSent : end.delivery,
    hasClientLeft: end.hasClientLeft,
    stage: exchange.stage,
    rule: exchange.rule,
    scenarios: scenarios.length > 0 ? scenarios.map(({ text }) => redactText(text, token)) : none,
    expectation: exchange.expectation,
    replayOf: exchange.replayOf,
    damage: exchange.damage.length > 0 ? exchange.damage : none,
    violations: redactViolations(exchange.violations, token),
    responseViolations: redactViolations(exchange.responseViolations, token),
    advice: redactViolations(exchange.advice, token),
  }
}

/** Returns the recorded part of a response's body. */
function captureResponse({ body, passedBytes = 0 }: Reply): RecordedBody {
  const captured = captureBody(body?.latin1() ?? '', maxResponseBodyBytes)
  return passedBytes > captured.size ? { ...captured, size: passedBytes } : captured
}

/** Returns the reply's headers, redacted where they name violations, which quote the request. */
function responseHeaders({ violations, advice }: Exchange, { headers }: Reply, token: string | undefined) {
  if (violations.length === 0 && advice.length === 0) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactText(value, token)]))
}

/** The outcome for a client that left before the end of its request. */
const neverSent: DeliveryOutcome = { kind: 'client-gone', sentBytes: 0 }

/** The list of entries without scenarios or damage; lists of their own would have to be collected one by one. */
const none: readonly string[] = []
const noBody: RecordedBody = { latin1: undefined, size: 0 }

function loggedBodyOf({ request: { body, headers } }: Exchange): RecordedBody {
  if (body.kind === 'absent') return noBody
  if (body.kind === 'bytes') return captureBody(toLatin1(body.bytes))
  // The size of a body that could not be read is known from its header alone.
  const declared = Number(headers['content-length'])
  const size = Number.isSafeInteger(declared) ? declared : 0
  if (body.kind === 'aborted') return { latin1: undefined, size }
  if (body.kind === 'released') return { latin1: undefined, size: body.size }
  return { latin1: undefined, size, unreadable: { status: body.status, reason: body.reason } }
}

/** The fields of the log's line about an exchange; undefined ones are left out. */
function logLine(entry: JournalEntry, live: LiveExchange) {
  const { id, request, response, durationMs, delayMs, sandbox, operation } = entry
  const { scenarios, damage, violations, advice, aborted, delivery } = entry
  return {
    requestId: id,
    method: request.method,
    path: request.path.slice(0, 200),
    status: response.status,
    durationMs,
    delayMs: delayMs > 0 ? delayMs : undefined,
    tookMs: roundToMicroseconds(entry.endedAt - entry.receivedAt),
    origin: response.origin,
    brokenOff: aborted || undefined,
    delivery: delivery.kind === 'delivered' ? undefined : delivery,
    sandbox,
    operation,
    traceId: readTraceId(request.headers['traceparent']),
    scenarios: scenarios.length > 0 ? scenarios : undefined,
    damage: damage.length > 0 ? damage : undefined,
    error: response.status >= 400 && violations.length === 0 ? readLoggedError(entry, live) : undefined,
    violations: violations.length > 0 ? violations : undefined,
    advice: advice.length > 0 ? advice : undefined,
  }
}

/** Returns the sentence of a refusal, which can quote the request. */
function readLoggedError({ ownToken }: JournalEntry, { responseBody }: LiveExchange): string | undefined {
  return redactText(readError(responseBody), ownToken).slice(0, maxLogged) || undefined
}

function decisionLine({ id, stage, ownToken }: JournalEntry, { decisions }: DecisionTrace) {
  return { requestId: id, stage, why: decisions.map((decision) => redactText(decision, ownToken)) }
}

/** The fields of the line about headers, which the entry has without credentials. */
function headerLine({ id, request: { query, headers }, response }: JournalEntry) {
  return { requestId: id, query: query || undefined, requestHeaders: headers, responseHeaders: response.headers }
}

/** The characters of a body, or of a refusal, that are logged at most. */
const maxLogged = 2000

function logBodiesOf({ request, response, ownToken }: JournalEntry) {
  const text = (body: RecordedBody) =>
    body.size === 0 ? undefined : (bodyToText(body, ownToken) ?? `(${body.size} bytes)`).slice(0, maxLogged)
  return { requestBody: text(request.body), responseBody: text(response.body) }
}
