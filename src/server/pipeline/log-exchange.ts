import { isObject, type Json } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import { endSentence } from '../../base/core/text.ts'
import { redactText } from '../../base/redaction/redact.ts'
import type { DecisionTrace } from '../../service/exchange/decision-trace.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { readTraceId } from '../../service/exchange/request-headers.ts'
import type { JournalEntry, LiveExchange, Recorded, RecordedBody } from '../journal/entry.ts'
import { bodyToText, roundToMicroseconds } from '../journal/entry-json.ts'
import type { Exchange } from './exchange.ts'

/** Creates a function that logs an exchange; `debug` adds the reasons for the response, `trace` the headers. */
export function createExchangeLog(log: Log, logBodies: boolean) {
  const isTraced = log.isLevelEnabled('trace')
  return ([entry, live]: Recorded, trace: DecisionTrace | undefined) => {
    const line = toLogLine(entry, live)
    log.info(logBodies ? { ...line, ...toLoggedBodies(entry) } : line, 'responded')
    const { id: requestId, stage, request, response, ownToken } = entry
    const why = trace?.decisions.map((decision) => redactText(decision, ownToken))
    if (why) log.debug({ requestId, stage, why }, 'decided')
    const { query, headers: requestHeaders } = request
    if (isTraced)
      log.trace({ requestId, query: query || undefined, requestHeaders, responseHeaders: response.headers }, 'headers')
  }
}

function toLogLine(entry: JournalEntry, live: LiveExchange) {
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

/** The most characters of a body, or of a refusal, that are logged. */
const maxLogged = 2000

/** Returns the sentence of a refusal, which can quote the request. */
function readLoggedError({ ownToken }: JournalEntry, { responseBody }: LiveExchange): string | undefined {
  return redactText(readError(responseBody), ownToken).slice(0, maxLogged) || undefined
}

function toLoggedBodies({ request, response, ownToken }: JournalEntry) {
  const text = (body: RecordedBody) =>
    body.size === 0 ? undefined : (bodyToText(body, ownToken) ?? `(${body.size} bytes)`).slice(0, maxLogged)
  return { requestBody: text(request.body), responseBody: text(response.body) }
}

/**
 * Adds the reasons for a reply to the trace: each broken rule, the sentence of another refusal, or that nothing refuses
 * the request. `first` is the reply of the request stages, `sent` the one that left the reply stages.
 */
export function explainReply(trace: DecisionTrace, exchange: Exchange, first: Reply, sent: Reply): void {
  trace.decisions.push(...listReasons(exchange, first))
  if (sent.status !== first.status)
    trace.decisions.push(`A ${sent.status} replaces that response: ${readError(sent.body?.value)}`)
}

function listReasons(exchange: Exchange, reply: Reply): string[] {
  const { status, origin } = reply
  if (origin === 'scenario') return [] // the stage that found the scenario has named its source
  if (status < 400) return [`Nothing refuses the request, so the operation ${exchange.operation?.id} is carried out.`]
  const responses = `The stage "${exchange.stage}" returns ${status}:`
  if (exchange.violations.length === 0) return [`${responses} ${readError(reply.body?.value)}`]
  return exchange.violations.map(({ in: part, pointer, message }) =>
    endSentence(`${responses} ${part}${pointer} ${message}`),
  )
}

/** Returns the sentence of the service's error body; empty for another body. */
function readError(value: Json | undefined): string {
  const error = isObject(value) ? value['error'] : undefined
  return typeof error === 'string' ? error : ''
}
