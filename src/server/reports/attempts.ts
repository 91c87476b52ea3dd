import { createHash } from 'node:crypto'
import { fromLatin1 } from '../../base/core/bytes.ts'
import { canonicalJson, isObject, type Json } from '../../base/core/json.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { mayBeUnread } from '../../service/exchange/delivery.ts'
import type { JournalEntry, LiveExchange, RecordedBody } from '../journal/entry.ts'
import { parseBody } from '../journal/entry-json.ts'

export interface Attempt {
  readonly id: string
  readonly number: number
  readonly call: CallKey
  readonly hasBody: boolean
  /** The time of receipt, by the process's monotonic clock, milliseconds. */
  readonly receivedAt: number
  /** The time at which the connection was opened, by the same clock; undefined for its later requests. */
  readonly openedAt: number | undefined
  /** The time from which the client can know the outcome, by the same clock: an error's head, otherwise the end. */
  readonly endedAt: number
  /** The sandbox's time of receipt, epoch milliseconds; undefined where the request itself set its time. */
  readonly now: number | undefined
  /**
   * `lost`: the client got no head. `failed`: a 429 or 5xx. `refused`: a 400, 401, 403 or 404, which a retry cannot
   * change. `uncertain`: a success whose body did not arrive whole, or a response that the client may have left without
   * reading. `fine`: any other.
   */
  readonly outcome: 'fine' | 'lost' | 'failed' | 'refused' | 'uncertain'
  /** True where the response is lost because the client gave up. */
  readonly isGivenUp: boolean
  readonly status: number
  /** The wait that `Retry-After` or `retry-after-ms` demands, milliseconds; undefined for none. */
  readonly retryAfterMs: number | undefined
  /** The number of earlier attempts that the client counts in a header; undefined if it does not count. */
  readonly retryCount: number | undefined
}

/** The largest difference by which a wait may be too short, milliseconds, since clocks and timers are inexact. */
export const toleranceMs = 20

/** The pause below which a retry counts as immediate, milliseconds. */
export const immediateMs = 10

/** The longest transit of the first request of a new connection, milliseconds: a busy machine reads it late. */
const transitMs = 1000

/** The pause beyond the demanded wait after which a request begins a new call, milliseconds. */
const newCallAfterMs = 60_000

const finalStatuses = [400, 401, 403, 404]

/** Of an error the head is enough: clients cancel the body. */
export function judgeOutcome(entry: JournalEntry): Attempt['outcome'] {
  const { delivery, headSentAt, hasClientLeft, response, endedAt } = entry
  const { status } = response
  const isWhole = delivery.kind === 'delivered'
  if (!isWhole && headSentAt === undefined) return 'lost'
  const isUnread = hasClientLeft && (isWhole || mayBeUnread(entry, endedAt))
  if (isUnread || (status < 400 && !isWhole)) return 'uncertain'
  if (status === 429 || status >= 500) return 'failed'
  return finalStatuses.includes(status) ? 'refused' : 'fine'
}

export function toAttempt(entry: JournalEntry, call: CallKey): Attempt {
  const { id, number, receivedAt, openedAt, headSentAt, delivery, response, request } = entry
  const outcome = judgeOutcome(entry)
  const isError = outcome === 'failed' || outcome === 'refused'
  const mayDemandWait = outcome === 'failed' && [429, 503].includes(response.status)
  return {
    id,
    number,
    call,
    hasBody: request.body.size > 0,
    receivedAt,
    openedAt,
    endedAt: (isError ? headSentAt : undefined) ?? entry.endedAt,
    now: request.headers['x-sim-now'] === undefined ? entry.now : undefined,
    outcome,
    isGivenUp: outcome === 'lost' && (delivery.kind === 'client-gone' || entry.hasClientLeft),
    status: response.status,
    retryAfterMs: mayDemandWait ? readRetryAfter(response.headers) : undefined,
    retryCount: readRetryCount(request.headers),
  }
}

export function readRetryCount(headers: Readonly<Record<string, string>>): number | undefined {
  const count = headers['x-stainless-retry-count'] ?? headers['retry-attempt'] // 0 in the first attempt
  return count !== undefined && /^\d{1,9}$/.test(count) ? Number(count) : undefined
}

/** Returns the shorter of the two waits, since `Retry-After` is rounded up to seconds; undefined for neither header. */
function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const waits = Object.entries(headers).flatMap(([name, value]) => {
    const factor = { 'retry-after': 1000, 'retry-after-ms': 1 }[name.toLowerCase()]
    return factor !== undefined && /^\d+$/.test(value) ? [Number(value) * factor] : []
  })
  return waits.length > 0 ? Math.min(...waits) : undefined
}

/**
 * Returns true if a request was sent after another one had ended, by the same clock. The first request of a connection
 * that was opened before that end was under way at the same time, unless it arrived a second later: then the client had
 * opened the connection in advance.
 */
export function isSentAfter(
  { receivedAt, openedAt = receivedAt }: Pick<Attempt, 'receivedAt' | 'openedAt'>,
  endedAt: number,
): boolean {
  return openedAt >= endedAt || receivedAt >= endedAt + transitMs
}

/**
 * Returns true if an attempt can be the retry of one before: after a lost response, over any connection, since a
 * repeated write is worse than a parallel one that is taken for it. A client knows that it gives up before the
 * simulator does.
 */
export function canRetry(latest: Attempt, { endedAt, isGivenUp, outcome }: Attempt): boolean {
  if (isGivenUp) return latest.receivedAt >= endedAt - immediateMs
  const isLate = outcome === 'lost' && latest.receivedAt >= endedAt + immediateMs
  return isLate || isSentAfter(latest, endedAt)
}

/** Returns true where a request after this pause, milliseconds, begins a new call. */
export function isNewCall({ retryAfterMs = 0 }: Attempt, pause: number): boolean {
  return pause > retryAfterMs + newCallAfterMs
}

/** Returns the pause in milliseconds, in the sandbox's time if a test advanced its clock, else in the machine's. */
export function measurePause(last: Attempt, latest: Attempt): number {
  const real = latest.receivedAt - last.endedAt
  if (last.now === undefined || latest.now === undefined) return real
  const advanced = latest.now - last.now
  return advanced - (latest.receivedAt - last.receivedAt) > toleranceMs ? Math.max(real, advanced) : real
}

/** The keys by which a request is recognised as an attempt of an earlier call. */
export interface CallKey {
  /** Method, path and query, which all attempts of a call share; cheaper than the digests, so compared first. */
  readonly kind: string
  /** A digest of kind, caller and `insertId`, or content type and body without one: equal for all attempts. */
  readonly key: string
  /** A digest of the kind, the caller, the content type and the whole body. */
  readonly body: string
  /** A digest of kind, caller and the body without `insertId`; undefined unless it has `insertId` and `eventAt`. */
  readonly event: string | undefined
  /** A digest of kind, caller and the body; of an event's without `insertId` and times, which each try may renew. */
  readonly content: string
  /** The body's idempotency key; undefined for a body without it, and for an operation that has none. */
  readonly insertId: string | undefined
  /** True where the body of the operation has an idempotency key. */
  readonly isIdempotent: boolean
}

/** The field that makes a retry of an event safe (docs/development/service.md, 5.4). */
const insertIdField = 'insertId'

/** The field with the time of an event, which tells it from an equal one. */
const eventTimeField = 'eventAt'

export function findIdempotentOperations({ operations }: Pick<Contract, 'operations'>): ReadonlySet<string> {
  const idempotent = operations.filter((operation) => {
    const properties = operation.bodySchema()?.['properties']
    return isObject(properties) && Object.hasOwn(properties, insertIdField)
  })
  return new Set(idempotent.map(({ id }) => id))
}

export function callKind({ request: { method, path, query } }: JournalEntry): string {
  return `${method} ${path}?${query}`
}

/** The parts of an exchange that tell calls apart and that an entry does not store. */
export type LiveCall = Pick<LiveExchange, 'requestBody' | 'token'>

export function createCallKey(entry: JournalEntry, live: LiveCall, isIdempotent: boolean): CallKey {
  const { headers, body } = entry.request
  const kind = callKind(entry)
  const digestOf = (...parts: readonly string[]) => digest([kind, live.token ?? '', ...parts])
  const digestWhole = (text: string) => digestOf('body', headers['content-type'] ?? '', text)
  const own = { kind, isIdempotent }
  const keyOfWhole = (key: string) => ({ ...own, key, body: key, event: undefined, content: key, insertId: undefined })
  if (body.size === 0) return keyOfWhole(digestOf())
  const json = live.requestBody ?? parseBody(body)
  if (!isIdempotent || !isObject(json)) return keyOfWhole(digestWhole(canonicalText(json, body)))
  const { [insertIdField]: insertId, ...event } = json
  const whole = digestWhole(canonicalJson(json))
  const untimed = Object.entries(event).filter(([, value]) => !isTime(value))
  const content = digestOf('content', canonicalJson(Object.fromEntries(untimed)))
  if (typeof insertId !== 'string') return { ...keyOfWhole(whole), content }
  return {
    ...own,
    key: digestOf('id', insertId),
    body: whole,
    event: event[eventTimeField] === undefined ? undefined : digestOf('event', canonicalJson(event)),
    content,
    insertId,
  }
}

const isTime = (value: Json) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function canonicalText(json: Json | undefined, { latin1 = '', size }: RecordedBody): string {
  return json === undefined ? `${size} ${new TextDecoder().decode(fromLatin1(latin1))}` : canonicalJson(json)
}

/** Digests the parts, so that a key is short for any body, and holds no token in clear text. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
