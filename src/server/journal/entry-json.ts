import { type Json, membersLeft, parseJson } from '../../base/core/json.ts'
import { maxDepth } from '../../base/core/json-syntax.ts'
import { once } from '../../base/core/memoize.ts'
import { decode, maxValues } from '../../base/core/strict-json.ts'
import { endSentence, fromLatin1, toLatin1, utf8ToLatin1 } from '../../base/core/text.ts'
import { redactJson, redactText } from '../../base/redaction/redact.ts'
import { redactDocument } from '../../base/redaction/redact-document.ts'
import { redacted } from '../../base/redaction/redact-token.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { type MatchSubject, modelsIn, productsOf } from '../../service/exchange/match.ts'
import { readError } from '../../service/exchange/refusals.ts'
import type { DeliveryOutcome } from '../../service/exchange/reply.ts'
import { readTraceId } from '../../service/exchange/request.ts'
import type { JournalEntry, LiveExchange, RecordedBody } from './entry.ts'

export function countStoredBytes({ latin1 }: RecordedBody): number {
  return latin1?.length ?? 0
}

/** Returns true if the whole body is stored, if there is no body, or if the body's size is unknown. */
export function isComplete({ latin1, size, isWhole }: RecordedBody): boolean {
  return latin1 === undefined ? size === 0 : (isWhole ?? latin1.length === size)
}

/** Returns the path of a request with its query: `/v1/models/ID/analytics?period=7d`. */
export function targetOf({ path, query }: Pick<JournalEntry['request'], 'path' | 'query'>): string {
  return query === '' ? path : `${path}?${query}`
}

/** Converts an entry to the JSON of the control plane. If `bodies` is false, each body is reduced to its size. */
export function entryToJson(entry: JournalEntry, { bodies }: { readonly bodies: boolean }) {
  const { id, number, durationMs, delayMs, sandbox, operation, request, response, stage, rule, scenarios } = entry
  const { expectation, replayOf, damage, violations, responseViolations, advice } = entry
  const body = (recorded: RecordedBody) => (bodies ? bodyToJson(recorded, entry.ownToken) : { size: recorded.size })
  return {
    id,
    number,
    at: new Date(entry.at).toISOString(),
    now: new Date(entry.now).toISOString(),
    durationMs: roundToMicroseconds(durationMs),
    delayMs,
    tookMs: roundToMicroseconds(entry.endedAt - entry.receivedAt),
    sandbox,
    operation,
    traceId: readTraceId(request.headers['traceparent']),
    request: { ...request, isEncrypted: undefined, body: body(request.body) },
    brokenOff: entry.aborted || undefined,
    response: { ...response, body: body(response.body) },
    delivery: deliveryToJson(entry.delivery),
    stage,
    rule: rule && { scope: rule.scope, index: rule.index },
    scenarios,
    expectation,
    replayOf,
    damage,
    violations,
    responseViolations,
    advice,
  }
}

/** Lists the reasons for a response: the decisions and, unless a scenario or gateway replied, what the stage did. */
export function listReasons(entry: JournalEntry): readonly string[] {
  const { decisions = [], operation, ownToken, response, stage, violations } = entry
  const { status, origin } = response
  if (origin === 'upstream') return [...decisions, `The real service returned ${status}.`]
  if (stage === 'handle' && status < 400)
    return [...decisions, `No stage refuses the request, so the operation ${operation} runs.`]
  if (origin === 'scenario' || origin === 'gateway') return decisions
  const refusals =
    violations.length === 0
      ? [redactText(readError(parseBody(response.body)), ownToken)]
      : violations.map(({ in: part, pointer, message }) => endSentence(`${part}${pointer} ${message}`))
  return [...decisions, ...refusals.map((reason) => `The stage "${stage}" returns ${status}: ${reason}`)]
}

export function toLogLine(entry: JournalEntry, live: LiveExchange) {
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

const maxLoggedLength = 2000

function readLoggedError({ ownToken }: JournalEntry, { responseBody }: LiveExchange): string | undefined {
  return redactText(readError(responseBody), ownToken).slice(0, maxLoggedLength) || undefined
}

export function toLoggedBodies({ request, response, ownToken }: JournalEntry) {
  const text = (body: RecordedBody) =>
    body.size === 0 ? undefined : (bodyToText(body, ownToken) ?? `(${body.size} bytes)`).slice(0, maxLoggedLength)
  return { requestBody: text(request.body), responseBody: text(response.body) }
}

/** The inputs for finding a request's models and products. Journal entries store neither. */
export interface MatchInputs {
  readonly contract: Pick<Contract, 'match'>
  /** The IDs of each model's products, by model ID; all IDs are in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
}

/** Returns the parts of an entry that conditions are matched against. A condition on the path can omit `/_s/NAME`. */
export function toMatchSubject(entry: JournalEntry, inputs?: MatchInputs): MatchSubject {
  const { operation, request, response } = entry
  const { method, path, query, headers } = request
  const ownPath = path.replace(/^\/_s\/[^/]*(?=\/)/, '')
  const body = once(() => parseBody(request.body))
  const models = () => {
    const match = inputs?.contract.match(method, ownPath)
    return match?.kind === 'operation' ? modelsIn(match.pathParameters) : []
  }
  return {
    operation,
    method,
    paths: [ownPath, path],
    query,
    headers,
    models,
    products: () => productsOf(body(), models(), inputs?.productsOfModel ?? new Map()),
    body,
    response: {
      status: response.status,
      origin: response.origin,
      violations: entry.violations.length > 0,
      advice: entry.advice.length > 0,
      damage: entry.damage.length > 0,
    },
    isRedacted,
    incompleteBody: isComplete(request.body)
      ? undefined
      : `(only ${countStoredBytes(request.body)} of ${request.body.size} bytes are stored)`,
  }
}

const isRedacted = (value: Json) => typeof value === 'string' && value.includes(redacted)

export function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

export function deliveryToJson({ kind: outcome, ...sent }: DeliveryOutcome) {
  return { outcome, ...sent }
}

function bodyToJson(body: RecordedBody, token: string | undefined) {
  const { latin1, size } = body
  if (size === 0 && !latin1?.length) return { size }
  if (latin1 === undefined) return { size, gone: true }
  const cut = !isComplete(body) && { cut: true }
  const text = decodeBody(body)
  if (text === undefined) return { size, ...cut, base64: bodyToBase64(body, token) }
  const json = cut ? undefined : parseBoundedJson(text)
  if (json === undefined) return { size, ...cut, text: redactDocument(text, token) }
  const clean = redactJson(json, token)
  return { size, json: clean, ...(isChangedByReserialization(text, json, clean, token) && { text }) }
}

/** The maximum length, in characters, of JSON to compare with its reserialization. Comparing takes 30 ms per MB. */
const maxComparedLength = 256 * 1024

/** Matches whitespace between JSON tokens, or captures a string. */
const spaceOrString = /\s+|("[^"\\]*(?:\\[\s\S][^"\\]*)*"?)/g

/**
 * Returns true if reserializing JSON changes more than whitespace (`1.0` becomes `1`). Returns false for long text
 * (it is not compared) and for text with credentials (they must not be shown). `clean`: the redacted `json`.
 */
function isChangedByReserialization(text: string, json: Json, clean: Json, token: string | undefined): boolean {
  if (text.length > maxComparedLength) return false
  const reserialized = JSON.stringify(json)
  if (text === reserialized || text.replace(spaceOrString, '$1') === reserialized) return false
  return JSON.stringify(clean) === reserialized && redactText(text, token) === text
}

/** Decodes a body as `decodeBody` does, and redacts credentials and `token`. */
export function bodyToText(body: RecordedBody, token?: string): string | undefined {
  const text = decodeBody(body)
  if (text === undefined) return undefined
  const json = isComplete(body) ? parseBoundedJson(text) : undefined
  if (json === undefined) return redactDocument(text, token)
  const clean = JSON.stringify(redactJson(json, token))
  // If the JSON has no credentials, its formatting is kept.
  return clean === JSON.stringify(json) ? redactText(text, token) : clean
}

/** Encodes a binary body as base64, redacting credentials and `token`. Returns '' if the body is not stored. */
export function bodyToBase64({ latin1 = '' }: RecordedBody, token?: string): string {
  return fromLatin1(redactDocument(latin1, token)).toString('base64')
}

const lenientUtf8 = new TextDecoder('utf-8')

/** The byte order mark (three bytes in UTF-8), which decoders strip. */
const byteOrderMark = '\uFEFF'
const encodedMark = utf8ToLatin1(byteOrderMark)

/** Decodes a body, keeping any byte order mark. Returns undefined if it is complete but not UTF-8, or not stored. */
export function decodeBody(body: RecordedBody): string | undefined {
  if (body.latin1 === undefined) return body.size === 0 ? '' : undefined
  const bytes = fromLatin1(body.latin1)
  // A truncated body may end within a character, which a strict decoder rejects.
  const text = isComplete(body) ? decode(bytes) : lenientUtf8.decode(bytes)
  return body.latin1.startsWith(encodedMark) && text !== undefined ? byteOrderMark + text : text
}

/** Parses a body as `parseBoundedJson` does. Also returns undefined if the body is not completely stored. */
export function parseBody(body: RecordedBody): Json | undefined {
  const text = body.size > 0 && isComplete(body) ? decodeBody(body) : undefined
  return text === undefined ? undefined : parseBoundedJson(text)
}

/**
 * Parses text as JSON, ignoring a byte order mark. Returns undefined if the text is not JSON, has more than `maxValues`
 * members and items, or is nested deeper than `maxDepth`, which could overflow the stack in recursive functions.
 */
export function parseBoundedJson(text: string): Json | undefined {
  const value = parseJson(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  return value !== undefined && membersLeft(value, maxValues, maxDepth) >= 0 ? value : undefined
}

/** The limit, in bytes, on a stored response body. Request bodies are stored whole, since conditions can match them. */
export const maxResponseBodyBytes = 64 * 1024

export function captureBody(latin1: string, maxBytes = Number.POSITIVE_INFINITY): RecordedBody {
  const { length } = latin1
  if (length <= maxBytes) return { latin1, size: length }
  // A copy, since a slice would retain the memory of the whole body.
  return { latin1: toLatin1(fromLatin1(latin1.slice(0, maxBytes))), size: length }
}
