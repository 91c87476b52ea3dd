import type { Log } from '../core/log.ts'
import { bytesOf, type Exchange, type Reply } from '../exchange/exchange.ts'
import { captureBody, maxAnswerBodyBytes } from '../journal/capture-body.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import { bodyToText } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { redactHead, redactText, redactViolations } from '../journal/redact.ts'
import { rawParametersOf } from './sent.ts'

/** Every exchange, refused or not, goes into the journal and as one line into the log. */
export function record(journal: Journal, log: Log, logBodies: boolean) {
  return function record(exchange: Exchange, reply: Reply): Reply {
    const bytes = bytesOf(reply)
    const entry = entryOf(exchange, reply, bytes, journal.recorded + 1)
    try {
      journal.record(entry, {
        requestBody: exchange.body ?? (exchange.json?.ok ? exchange.json.value : undefined),
        answerBody: reply.body,
        operation: exchange.operation,
        rawParameters: rawParametersOf(exchange),
        token: exchange.caller?.token,
      })
    } catch (error) {
      // Nobody's answer may hang on what others make of it.
      log.error({ requestId: entry.id, err: error }, 'a bug in what listens to the journal')
    }
    log.info(logBodies ? { ...lineOf(entry), ...bodiesOf(entry) } : lineOf(entry), 'answered')
    return reply
  }
}

function entryOf(exchange: Exchange, reply: Reply, bytes: Uint8Array, number: number): JournalEntry {
  const { request, scenarios } = exchange
  const { path, query, headers } = redactHead(request)
  return {
    id: request.id,
    number,
    at: request.at,
    now: exchange.now,
    durationMs: Math.round(request.elapsed() * 1000) / 1000, // more digits say nothing, and take room
    delayMs: exchange.delivery.delayMs,
    sandbox: exchange.sandbox.name,
    operation: exchange.operation?.id,
    request: { method: request.method, path, query, headers, body: bodyOf(exchange) },
    aborted: request.body.kind === 'broken-off',
    answer: {
      status: reply.status,
      headers: answerHeaders(exchange, reply),
      body: captureBody(bytes, maxAnswerBodyBytes),
      origin: reply.origin,
    },
    scenarios: scenarios.length > 0 ? scenarios.map(({ text }) => text) : nothing,
    damage: exchange.damage,
    violations: redactViolations(exchange.violations),
    answerViolations: redactViolations(exchange.answerViolations),
    advice: redactViolations(exchange.advice),
  }
}

/** Those that name violations quote what was sent. */
function answerHeaders({ violations, advice }: Exchange, { headers }: Reply) {
  if (violations.length === 0 && advice.length === 0) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactText(value)]))
}

const nothing: readonly string[] = []

function bodyOf({ request: { body, headers } }: Exchange): RecordedBody {
  if (body.kind === 'bytes') return captureBody(body.bytes)
  // Of one that could not be read there is no more to know than its sender said.
  const said = body.kind === 'absent' ? 0 : Number(headers['content-length'])
  return { bytes: undefined, size: Number.isSafeInteger(said) ? said : 0 }
}

function lineOf({
  id,
  request,
  answer,
  sandbox,
  operation,
  scenarios,
  violations,
  advice,
  aborted,
}: JournalEntry) {
  return {
    requestId: id,
    method: request.method,
    path: request.path.slice(0, 200),
    status: answer.status,
    origin: answer.origin,
    brokenOff: aborted || undefined,
    sandbox,
    operation,
    scenarios: scenarios.length > 0 ? scenarios : undefined,
    violations: violations.length > 0 ? violations : undefined,
    advice: advice.length > 0 ? advice : undefined,
  }
}

/** As much of a body as is logged. */
const mostLogged = 2000

function bodiesOf({ request, answer }: JournalEntry) {
  const text = (body: RecordedBody) =>
    body.size === 0 ? undefined : (bodyToText(body) ?? `(${body.size} bytes)`).slice(0, mostLogged)
  return { requestBody: text(request.body), answerBody: text(answer.body) }
}
