import type { Log } from '../core/log.ts'
import type { Reply } from '../exchange/reply.ts'
import { captureBody, maxAnswerBodyBytes } from '../journal/capture-body.ts'
import type { JournalEntry, RecordedBody } from '../journal/entry.ts'
import { bodyToText } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { redactHead, redactText, redactViolations } from '../journal/redact.ts'
import { findOwnToken } from '../journal/redact-token.ts'
import { type Exchange, rawParametersOf } from './exchange.ts'
import type { ReplyStage } from './stage.ts'

/** Records every exchange, refused or not, in the journal and as one line in the log. `logBodies` adds the bodies to the line. */
export function record(journal: Journal, log: Log, logBodies: boolean): ReplyStage {
  return function record(exchange, reply) {
    const entry = createEntry(exchange, reply, journal.recorded + 1)
    try {
      journal.record(entry, {
        requestBody: exchange.body ?? (exchange.json?.ok ? exchange.json.value : undefined),
        answerBody: reply.body?.value,
        operation: exchange.operation,
        rawParameters: rawParametersOf(exchange),
        token: exchange.caller?.token,
      })
    } catch (error) {
      // A bug in a listener must not cost the client its reply.
      log.error({ requestId: entry.id, err: error }, 'a bug in what listens to the journal')
    }
    log.info(logBodies ? { ...logLine(entry), ...logBodiesOf(entry) } : logLine(entry), 'answered')
    return reply
  }
}

function createEntry(exchange: Exchange, reply: Reply, number: number): JournalEntry {
  const { request, scenarios } = exchange
  const token = findOwnToken(request.headers)
  const { path, query, headers } = redactHead(request)
  return {
    id: request.id,
    number,
    at: request.at,
    now: exchange.now,
    durationMs: Math.round(request.elapsed() * 1000) / 1000, // microseconds
    delayMs: exchange.delivery.delayMs,
    sandbox: exchange.sandbox.name,
    operation: exchange.operation?.id,
    request: { method: request.method, path, query, headers, body: bodyOf(exchange) },
    ownToken: token,
    aborted: request.body.kind === 'aborted',
    answer: {
      status: reply.status,
      headers: answerHeaders(exchange, reply, token),
      body: captureBody(reply.body?.bytes() ?? noBytes, maxAnswerBodyBytes),
      origin: reply.origin,
    },
    scenarios: scenarios.length > 0 ? scenarios.map(({ text }) => redactText(text, token)) : none,
    damage: exchange.damage.length > 0 ? exchange.damage : none,
    violations: redactViolations(exchange.violations, token),
    answerViolations: redactViolations(exchange.answerViolations, token),
    advice: redactViolations(exchange.advice, token),
  }
}

/** Returns the reply's headers, redacted where they name violations: those quote the request. */
function answerHeaders({ violations, advice }: Exchange, { headers }: Reply, token: string | undefined) {
  if (violations.length === 0 && advice.length === 0) return headers
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactText(value, token)]))
}

/** The list of entries without scenarios or damage; lists of their own would have to be collected one by one. */
const none: readonly string[] = []
const noBytes = new Uint8Array(0)
const noBody: RecordedBody = { bytes: undefined, size: 0 }

function bodyOf({ request: { body, headers } }: Exchange): RecordedBody {
  if (body.kind === 'absent') return noBody
  if (body.kind === 'bytes') return captureBody(body.bytes)
  // The size of a body that could not be read is known from its header alone.
  const declared = Number(headers['content-length'])
  return { bytes: undefined, size: Number.isSafeInteger(declared) ? declared : 0 }
}

function logLine({
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

/** The characters of a body that are logged at most. */
const maxLogged = 2000

function logBodiesOf({ request, answer, ownToken }: JournalEntry) {
  const text = (body: RecordedBody) =>
    body.size === 0 ? undefined : (bodyToText(body, ownToken) ?? `(${body.size} bytes)`).slice(0, maxLogged)
  return { requestBody: text(request.body), answerBody: text(answer.body) }
}
