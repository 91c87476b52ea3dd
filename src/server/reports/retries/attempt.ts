import { hash } from 'node:crypto'
import { canonicalJson, isObject, type Json } from '../../../base/core/json.ts'
import { fromLatin1 } from '../../../base/core/text.ts'
import type { Contract } from '../../../service/contract/contract.ts'
import { readRetryAfter } from '../../../service/exchange/rate-headers.ts'
import { mayBeUnread } from '../../../service/exchange/reply.ts'
import type { JournalEntry, LiveExchange, RecordedBody } from '../../journal/entry.ts'
import { parseBody } from '../../journal/entry-json.ts'

export interface Attempt {
  readonly id: string
  readonly number: number
  readonly call: CallKey
  /** The time of receipt on the process's monotonic clock, in milliseconds. */
  readonly receivedAt: number
  /** The time when the connection was opened, on the same clock; undefined for later requests on the connection. */
  readonly openedAt: number | undefined
  /** The time when the response head was sent (if `failed` or `refused`) or the delivery ended, on the same clock. */
  readonly endedAt: number
  /** The time of receipt on the sandbox's clock, in epoch milliseconds; undefined if the request set its own time. */
  readonly now: number | undefined
  /**
   * `lost`: the client got no response head. `failed`: a 429 or 5xx. `refused`: a 400, 401, 403 or 404, which a retry
   * cannot change. `uncertain`: a success whose body did not arrive completely, or a response that the client might not
   * have read. `fine`: any other outcome.
   */
  readonly outcome: 'fine' | 'lost' | 'failed' | 'refused' | 'uncertain'
  /** True if the response was lost because the client gave up. */
  readonly isGivenUp: boolean
  readonly status: number
  /** The wait in milliseconds that a 429 or 503 asks for in `Retry-After` or `retry-after-ms`; undefined otherwise. */
  readonly retryAfterMs: number | undefined
  /** The date in `Retry-After`, in epoch milliseconds; undefined if the header does not contain a date. */
  readonly retryAt: number | undefined
  /** The time of receipt on the machine's clock, in epoch milliseconds. */
  readonly at: number
  /** True if the request contained an event that the service has stored. */
  readonly isStored: boolean
  /** The `User-Agent` and the forwarded address, which distinguish clients with the same token. */
  readonly sender: string
  readonly connection: JournalEntry['connection']
  readonly steering: string
  /** The number of earlier attempts, if the client sends it in a header. */
  readonly retryCount: number | undefined
}

/** Milliseconds by which a wait may be too short, since clocks and timers are inexact. */
export const toleranceMs = 20

/** Milliseconds by which `endedAt` may be inexact, since the client may know the outcome earlier or later. */
export const endToleranceMs = 10

/** Milliseconds that a busy machine may take to read the first request on a new connection. */
const transitMs = 1000

const finalStatuses = [400, 401, 403, 404]

/** Judges the outcome of an exchange. For an error, the head is what counts, since clients often cancel the body. */
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
  const { id, number, at, receivedAt, openedAt, connection, headSentAt, delivery, response, request, steering } = entry
  const outcome = judgeOutcome(entry)
  const isError = outcome === 'failed' || outcome === 'refused'
  const endedAt = (isError ? headSentAt : undefined) ?? entry.endedAt
  const { status, origin } = response
  const canAskForWait = outcome === 'failed' && [429, 503].includes(status)
  const requestedWait = canAskForWait ? readRetryAfter(response.headers, entry.now + (endedAt - receivedAt)) : undefined
  const common = { id, number, call, at, receivedAt, openedAt, endedAt, connection, steering }
  return {
    ...common,
    now: request.headers['x-sim-now'] === undefined ? entry.now : undefined,
    outcome,
    isGivenUp: outcome === 'lost' && (delivery.kind === 'client-gone' || entry.hasClientLeft),
    status,
    retryAfterMs: requestedWait?.ms,
    retryAt: requestedWait?.at,
    retryCount: readRetryCount(request.headers),
    isStored: call.isIdempotent && status < 300 && (origin === 'contract' || origin === 'upstream'),
    sender: senderHeaders.map((name) => request.headers[name]).join('|'),
  }
}

const senderHeaders = ['user-agent', 'x-forwarded-for', 'forwarded', 'x-real-ip']

export function readRetryCount(headers: Readonly<Record<string, string>>): number | undefined {
  const count = headers['x-stainless-retry-count'] ?? headers['retry-attempt'] // 0 for the first attempt
  return count !== undefined && /^\d{1,9}$/.test(count) ? Number(count) : undefined
}

/**
 * Returns true if a request was sent after an earlier one ended (at `endedAt`, on the same monotonic clock). The first
 * request on a connection that was opened before `endedAt` counts as concurrent, unless it arrived at least a second
 * after `endedAt`: in that case, the client opened the connection in advance.
 */
export function isSentAfter(
  { receivedAt, openedAt = receivedAt }: Pick<Attempt, 'receivedAt' | 'openedAt'>,
  endedAt: number,
): boolean {
  return openedAt >= endedAt || receivedAt >= endedAt + transitMs
}

/**
 * Returns true if an attempt could be a retry of an earlier attempt. After a lost response, an attempt on a connection
 * that was already open counts, too, since missing a repeated write is worse than misjudging a concurrent write. If
 * the client gives up, the simulator notices only after a delay, so the retry may arrive before `endedAt`.
 */
export function canRetry(latest: Attempt, { receivedAt, endedAt, isGivenUp, outcome }: Attempt): boolean {
  if (isGivenUp) return latest.receivedAt >= Math.max(endedAt - endToleranceMs, (receivedAt + endedAt) / 2)
  const isLate = outcome === 'lost' && latest.receivedAt >= endedAt + endToleranceMs
  return isLate || isSentAfter(latest, endedAt)
}

/**
 * Returns false if two attempts seem to come from different clients, because their sender headers differ or because
 * they used two connections that were open at the same time, as happens if two processes share a token.
 */
export function isSameSender(before: Attempt, latest: Attempt): boolean {
  if (before.sender !== latest.sender) return false
  const [first, second] = [before.connection, latest.connection]
  if (!first || !second || first.connectedAt === second.connectedAt) return true
  return (
    !second.openTimes.includes(first.connectedAt) &&
    second.connectedAt >= before.endedAt - (before.isGivenUp ? endToleranceMs : 0)
  )
}

/** Returns the real pause in milliseconds or, if a test advanced the sandbox's clock, the longer simulated pause. */
export function measurePause(last: Attempt, latest: Attempt): number {
  const realPause = latest.receivedAt - last.endedAt
  if (last.now === undefined || latest.now === undefined) return realPause
  const simulated = latest.now - last.now
  return simulated - (latest.receivedAt - last.receivedAt) > toleranceMs ? Math.max(realPause, simulated) : realPause
}

/** The keys that identify the call to which an attempt belongs. */
export interface CallKey {
  /** Method, path and query, which all attempts of a call share. Compared first, since digests are slow to compute. */
  readonly kind: string
  /** A digest of kind, caller and `insertId` or, if there is none, of kind, caller, content type and body. */
  readonly key: string
  /** A digest of kind, caller, content type and the whole body. */
  readonly body: string
  /** A digest of kind, caller and the body without `insertId`. */
  readonly event: string
  /** A digest of kind, caller and the body without `insertId`, times and counters, which may vary by attempt. */
  readonly content: string
  /** The body's idempotency key; undefined if the body or the operation has none. */
  readonly insertId: string | undefined
  /** True if the operation's body has a field for an idempotency key. */
  readonly isIdempotent: boolean
}

/** The field that makes a retry of an event safe (docs/development/service.md, 5.4). */
const insertIdField = 'insertId'

export function findIdempotentOperations({ operations }: Pick<Contract, 'operations'>): ReadonlySet<string> {
  return new Set(operations.filter(isIdempotent).map(({ id }) => id))
}

export function isIdempotent(operation: Pick<Contract['operations'][number], 'bodySchema'>): boolean {
  const properties = operation.bodySchema()?.['properties']
  return isObject(properties) && Object.hasOwn(properties, insertIdField)
}

export function callKind({ request: { method, path, query } }: JournalEntry): string {
  return `${method} ${path}?${query.includes('&') ? query.split('&').sort().join('&') : query}`
}

/** The parts of an exchange, besides its entry, that distinguish calls. */
export type LiveCall = Pick<LiveExchange, 'requestBody' | 'token'>

/** The keys by which `OpenCalls` looks up similar calls. */
export type LookupKeys = Pick<CallKey, 'key' | 'content'>

/** Creates the keys of a call. To save time, returns undefined for an event that `isNeeded` rejects. */
export function createCallKey(
  entry: JournalEntry,
  live: LiveCall,
  isIdempotent: boolean,
  isNeeded: (keys: LookupKeys) => boolean,
): CallKey | undefined {
  const { headers, body } = entry.request
  const kind = callKind(entry)
  const digestOf = (...parts: readonly string[]) => digest([kind, live.token ?? '', ...parts])
  const digestWhole = (text: string) => digestOf('body', headers['content-type'] ?? '', text)
  const common = { kind, isIdempotent }
  const keyOfWhole = (key: string) => ({ ...common, key, body: key, event: key, content: key, insertId: undefined })
  if (body.size === 0) return keyOfWhole(digestOf())
  const json = live.requestBody ?? parseBody(body)
  if (!isIdempotent || !isObject(json)) return keyOfWhole(digestWhole(canonicalText(json, body)))
  const { [insertIdField]: id, ...event } = json
  const insertId = typeof id === 'string' && id !== '' ? id : undefined
  const key = insertId === undefined ? digestWhole(canonicalJson(json)) : digestOf('id', insertId)
  const content = digestOf('content', canonicalJson(event, isVolatile))
  if (!isNeeded({ key, content })) return undefined
  const bodyKey = insertId === undefined ? key : digestWhole(canonicalJson(json))
  return { ...common, key, content, insertId, body: bodyKey, event: digestOf('event', canonicalJson(event)) }
}

/** The names of members that a client may change in each attempt, in addition to times: counters and `sentAt`. */
const volatileName = /^(attempt|retry|retries|try)(s|count|number)?$|^sent_?at$/i

const isVolatile = (name: string, value: Json) => isTime(value) || volatileName.test(name)

const isTime = (value: Json) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

function canonicalText(json: Json | undefined, { latin1 = '', size }: RecordedBody): string {
  return json === undefined ? `${size} ${new TextDecoder().decode(fromLatin1(latin1))}` : canonicalJson(json)
}

/** Hashes the parts, so that a key is short and does not reveal the token. */
function digest(parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'base64')
}
