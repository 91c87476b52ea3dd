import type { Json, JsonObject } from '../core/json.ts'
import { maxDepth } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'
import type { JournalEntry, RecordedBody } from './entry.ts'
import { redactedJson, redactedText } from './redact.ts'

/** An entry as JSON. Bodies are large: without them there is only their size. */
export function entryToJson(entry: JournalEntry, { bodies }: { readonly bodies: boolean }): JsonObject {
  const { id, number, at, now, durationMs, delayMs, sandbox, operation, request, answer } = entry
  const body = (captured: RecordedBody) => (bodies ? shownBody(captured) : { size: captured.size })
  return {
    id,
    number,
    at: new Date(at).toISOString(),
    now: new Date(now).toISOString(),
    durationMs: Math.round(durationMs * 1000) / 1000,
    delayMs,
    sandbox,
    ...(operation !== undefined && { operation }),
    request: {
      method: request.method,
      path: request.path,
      query: request.query,
      headers: { ...request.headers },
      body: body(request.body),
    },
    ...(entry.aborted && { brokenOff: true }),
    answer: {
      status: answer.status,
      headers: { ...answer.headers },
      body: body(answer.body),
      origin: answer.origin,
    },
    scenarios: [...entry.scenarios],
    damage: [...entry.damage],
    violations: violationsToJson(entry.violations),
    answerViolations: violationsToJson(entry.answerViolations),
    advice: violationsToJson(entry.advice),
  }
}

/** Violations as JSON. */
export function violationsToJson(violations: readonly Violation[]): Json[] {
  return violations.map((violation) => ({ ...violation }))
}

function shownBody(body: RecordedBody): JsonObject {
  const { bytes, size } = body
  if (size === 0 && !bytes?.length) return { size }
  if (!bytes) return { size, gone: true }
  const cut = bytes.length < size && { cut: true }
  const text = textOf(body)
  if (text === undefined) return { size, ...cut, base64: bodyBase64(body) }
  const json = cut ? undefined : parsed(text)
  return {
    size,
    ...cut,
    ...(json === undefined ? { text: redactedText(text) } : { json: redactedJson(json) }),
  }
}

/** The body as text without credentials, as it may be shown; undefined where it is not kept, or no text. */
export function bodyText(body: RecordedBody): string | undefined {
  const text = textOf(body)
  if (text === undefined) return undefined
  const json = isWhole(body) ? parsed(text) : undefined
  if (json === undefined) return redactedText(text)
  const clean = JSON.stringify(redactedJson(json))
  // As it was written, where nothing is to be hidden.
  return clean === JSON.stringify(json) ? redactedText(text) : clean
}

/** Bytes that are no text, without the credentials that can be read in them. */
export function bodyBase64({ bytes = noBytes }: RecordedBody): string {
  const text = Buffer.from(bytes).toString('latin1')
  return Buffer.from(redactedText(text), 'latin1').toString('base64')
}

const noBytes = new Uint8Array()

const utf8 = new TextDecoder('utf-8', { fatal: true })
const patient = new TextDecoder('utf-8')

/** The body as text, as far as it is kept; undefined where it is not kept, or no text. */
export function textOf({ bytes, size }: RecordedBody): string | undefined {
  if (!bytes) return size === 0 ? '' : undefined
  // Where it is cut, the last letter may be, too.
  if (bytes.length < size) return patient.decode(bytes)
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Whether all of a body is kept, so that what is not found in it was not sent. */
export function isWhole({ bytes, size }: RecordedBody): boolean {
  return (bytes?.length ?? 0) === size
}

/** The body as JSON; undefined where it is none, or not kept whole. */
export function jsonOf(body: RecordedBody): Json | undefined {
  const text = body.size > 0 && isWhole(body) ? textOf(body) : undefined
  return text === undefined ? undefined : parsed(text)
}

/** The JSON value of a text; undefined where it is none, or deeper than whoever goes through it could bear. */
export function parsed(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return isWithin(value, maxDepth) ? value : undefined
  } catch {
    return undefined
  }
}

function isWithin(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1))
}
