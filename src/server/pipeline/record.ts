import type { Log } from '../../base/core/log.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import { toLatin1 } from '../../base/core/text.ts'
import { redactHead, redactNamed, redactText, redactViolations } from '../../base/redaction/redact.ts'
import { findOwnToken, minTokenLength } from '../../base/redaction/redact-token.ts'
import { listHiddenNames } from '../../service/contract/security.ts'
import {
  type DeliveryOutcome,
  expectedEnd,
  isLong,
  mayBeUnread,
  type OutgoingReply,
  type Reply,
} from '../../service/exchange/reply.ts'
import { releaseBody } from '../../service/exchange/request.ts'
import type { DeliveryEnd, JournalEntry, LiveExchange, Recorded, RecordedBody } from '../journal/entry.ts'
import { captureBody, listReasons, maxResponseBodyBytes, toLoggedBodies, toLogLine } from '../journal/entry-json.ts'
import { type Exchange, jsonOf, type PipelineDeps, rawParametersOf, targetOf } from './exchange.ts'

export function createRecorder(
  { contract, journal, log, settings }: PipelineDeps,
  replyToRecord: (exchange: Exchange, reply: Reply, outcome: DeliveryOutcome) => Reply,
) {
  const hiddenNames = listHiddenNames(contract.document)
  const heldBodies = new HeldBodies()
  const logExchange = createExchangeLog(log, settings.logBodies)
  /**
   * Begins to record an exchange. A shared journal announces the exchange to other replicas before its reply is sent,
   * unless the delivery is long. If the announcement fails, the reply from `refuse` is sent instead.
   */
  return async function record(exchange: Exchange, reply: Reply, refuse: (error: unknown) => Reply) {
    const durationMs = exchange.request.elapsed()
    const openRecord = journal.begin()
    let sent = reply
    let latestRecord: Recorded | undefined
    const create = (end: DeliveryEnd): Recorded => {
      if (heldBodies.stopHolding(exchange)) jsonOf(exchange)
      const recorded = replyToRecord(exchange, sent, end.delivery)
      const token = findOwnKey(exchange, hiddenNames)
      const head = { ...redactNamed(redactHead(exchange.request), hiddenNames), token }
      const entry = createEntry(exchange, recorded, head, journal.latestNumber + 1, durationMs, end)
      return [entry, liveExchangeOf(exchange, recorded)]
    }
    const onEnd: NonNullable<OutgoingReply['onEnd']> = (delivery, observation) => {
      exchange.sandbox.activeRequests -= 1
      try {
        const { headSentAt, hasClientLeft = false } = observation ?? { headSentAt: undefined }
        const end = { delivery, headSentAt, hasClientLeft, endedAt: timeOf(exchange) }
        latestRecord = openRecord.end(end, () => create(end))
        logExchange(latestRecord)
        if (isWorthReleasing(exchange)) {
          // Releases the bodies, since the connection may stay open for hours. Listeners can parse the recorded bodies.
          latestRecord = [latestRecord[0], { ...latestRecord[1], requestBody: undefined, responseBody: undefined }]
          release(exchange)
        }
      } catch (error) {
        // It is too late to send an error, and no caller could handle the exception.
        log.error({ requestId: exchange.request.id, err: error }, 'a bug in a journal listener')
      }
    }
    const onLeave = (isReset: boolean) => {
      if (!latestRecord) return
      const [entry, live] = latestRecord
      if (isReset || mayBeUnread(entry, timeOf(exchange))) openRecord.correct([{ ...entry, hasClientLeft: true }, live])
    }
    // A long delivery is not announced, since its outcome is not known in advance.
    if (isLong(exchange.delivery)) heldBodies.hold(exchange)
    else if (openRecord.announce)
      await openRecord.announce(create(expectedEnd(exchange.delivery, timeOf(exchange)))).catch((error: unknown) => {
        sent = refuse(error)
      })
    return { reply: sent, onEnd, onLeave }
  }
}

/** Creates the function that logs exchanges. Level `debug` adds the decisions, and level `trace` adds the headers. */
function createExchangeLog(log: Log, logBodies: boolean) {
  const [logsReasons, logsHeaders] = [log.isLevelEnabled('debug'), log.isLevelEnabled('trace')]
  return ([entry, live]: Recorded) => {
    const line = toLogLine(entry, live)
    log.info(logBodies ? { ...line, ...toLoggedBodies(entry) } : line, 'responded')
    const { id: requestId, stage, request, response } = entry
    if (logsReasons) log.debug({ requestId, stage, why: listReasons(entry) }, 'decided')
    const { query, headers: requestHeaders } = request
    if (logsHeaders)
      log.trace({ requestId, query: query || undefined, requestHeaders, responseHeaders: response.headers }, 'headers')
  }
}

const timeOf = ({ request }: Exchange) => request.receivedAt + request.elapsed()

function liveExchangeOf(exchange: Exchange, reply: Reply): LiveExchange {
  const { body, json, operation, caller } = exchange
  return {
    requestBody: body ?? (json?.ok ? json.value : undefined),
    responseBody: reply.body?.value,
    operation,
    rawParameters: rawParametersOf(exchange),
    parameters: exchange.parameters,
    token: caller?.token,
  }
}

/** Returns the token in the Authorization header or, without that header, the first API key long enough to redact. */
function findOwnKey({ request: { headers }, caller }: Exchange, names: readonly string[]): string | undefined {
  if (headers['authorization'] !== undefined) return findOwnToken(headers)
  const keys = [...names.map((name) => headers[name] ?? ''), caller?.token ?? '']
  return keys.find((key) => key.length >= minTokenLength)
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
  const { isEncrypted, method } = request
  return {
    id: request.id,
    number,
    at: request.at,
    now: exchange.now,
    durationMs: Math.round(durationMs * 1000) / 1000, // rounded to microseconds
    delayMs: exchange.delivery.delayMs,
    receivedAt: request.receivedAt,
    openedAt: request.openedAt,
    connection: request.connection,
    headSentAt: end.headSentAt,
    endedAt: end.endedAt,
    sandbox: exchange.sandbox.name,
    operation: exchange.operation?.id,
    request: { isEncrypted, method, path, query, headers, body: requestBodyOf(exchange) },
    ownToken: token,
    authorization: request.headers['authorization'],
    aborted: request.body.kind === 'aborted',
    response: {
      status: reply.status,
      headers: responseHeaders(exchange, reply, token, query),
      body: captureResponse(reply),
      origin: reply.origin,
    },
    delivery: request.body.kind === 'aborted' ? neverSent : end.delivery,
    hasClientLeft: end.hasClientLeft,
    stage: exchange.stage,
    rule: exchange.rule,
    decisions: exchange.decisions?.map((decision) => redactText(decision, token)),
    scenarios: scenarios.length > 0 ? scenarios.map(({ text }) => redactText(text, token)) : none,
    steering: describeSteering(exchange),
    expectation: exchange.expectation,
    replayOf: exchange.replayOf,
    damage: exchange.damage.length > 0 ? exchange.damage : none,
    violations: redactViolations(exchange.violations, token),
    responseViolations: redactViolations(exchange.responseViolations, token),
    advice: redactViolations(exchange.advice, token),
  }
}

function captureResponse({ body, passedBytes = 0 }: Reply): RecordedBody {
  const captured = captureBody(body?.latin1() ?? '', maxResponseBodyBytes)
  return passedBytes > captured.size ? { ...captured, size: passedBytes } : captured
}

/** Returns the headers to record, with credentials redacted in quoted URLs and violations. */
function responseHeaders(exchange: Exchange, reply: Reply, token: string | undefined, query: string) {
  const { violations, advice, request } = exchange
  const quotesTarget = reply.origin === 'gateway' && query !== '' && reply.headers['Location'] === targetOf(exchange)
  const type = (reply.origin !== 'upstream' && reply.body?.mediaType) || 'application/json' // the default is omitted
  const typed = type.startsWith('application/json') ? reply.headers : { 'Content-Type': type, ...reply.headers }
  const headers = quotesTarget ? { ...typed, Location: `${request.path}?${query}` } : typed
  if (violations.length === 0 && advice.length === 0) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactText(value, token)]))
}

const steeringHeaders = ['x-sim-scenario', 'x-sim-sequence', 'x-sim-seed', 'prefer']

const joinKeys = memoizeLast((rules: Exchange['rules']) => rules.map(({ key }) => key).join())

function describeSteering({ rules, request: { headers } }: Exchange): string {
  const named = steeringHeaders.filter((name) => headers[name] !== undefined)
  return [joinKeys(rules), ...named.map((name) => `${name}: ${headers[name]}`)].join()
}

/** The outcome of an exchange whose client disconnected before sending the whole request. */
const neverSent: DeliveryOutcome = { kind: 'client-gone', sentBytes: 0 }

/** A list shared by all entries without scenarios or damage, since separate lists would increase garbage collection. */
const none: readonly string[] = []
const noBody: RecordedBody = { latin1: undefined, size: 0 }

function requestBodyOf({ request: { body, headers } }: Exchange): RecordedBody {
  if (body.kind === 'absent') return noBody
  if (body.kind === 'bytes') return captureBody(toLatin1(body.bytes))
  // The size of an unread body is known only from the Content-Length header.
  const declared = Number(headers['content-length'])
  const size = Number.isSafeInteger(declared) ? declared : 0
  return { latin1: undefined, size: body.kind === 'released' ? body.size : size }
}

/** The maximum total size of request bodies held during long deliveries, in bytes. The oldest are released first. */
const maxHeldBytes = 16 * 1024 * 1024

/**
 * The large request bodies of exchanges with long deliveries, held until the exchanges are recorded. If a body is
 * released earlier, the journal shows it as evicted.
 */
class HeldBodies {
  readonly #sizes = new Map<Exchange, number>()
  #bytes = 0

  /** Holds the bytes of a body but not the parsed value; the bytes are parsed again when the exchange is recorded. */
  hold(exchange: Exchange): void {
    const { body } = exchange.request
    if (body.kind !== 'bytes' || !isWorthReleasing(exchange)) return
    this.#sizes.set(exchange, body.bytes.length)
    this.#bytes += body.bytes.length
    if (exchange.json) exchange.json = exchange.body = undefined
    for (const [oldest] of this.#sizes) {
      if (this.#bytes <= maxHeldBytes) return
      this.stopHolding(oldest)
      release(oldest)
    }
  }

  /** Returns true if the body was held. */
  stopHolding(exchange: Exchange): boolean {
    if (this.#sizes.size === 0) return false
    this.#bytes -= this.#sizes.get(exchange) ?? 0
    return this.#sizes.delete(exchange)
  }
}

const isWorthReleasing = ({ request: { body } }: Exchange) => body.kind === 'bytes' && body.bytes.length >= 4096

function release(exchange: Exchange): void {
  exchange.json = exchange.body = undefined
  releaseBody(exchange.request)
}
