import { mayBeUnread } from '../../service/exchange/delivery.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { CallKey } from './call-key.ts'

/** One request of a call, with its outcome. */
export interface Attempt {
  readonly id: string
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
  readonly insertId: string | undefined
  readonly body: string
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

/** Statuses of refusals that the same request would get again. */
const finalStatuses = [400, 401, 403, 404]

/** Judges the outcome. Of an error the head is enough: clients cancel the body. */
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

export function toAttempt(entry: JournalEntry, { insertId, body }: CallKey): Attempt {
  const { id, receivedAt, openedAt, headSentAt, delivery, response, request } = entry
  const outcome = judgeOutcome(entry)
  const isError = outcome === 'failed' || outcome === 'refused'
  const mayDemandWait = outcome === 'failed' && [429, 503].includes(response.status)
  return {
    id,
    receivedAt,
    openedAt,
    endedAt: (isError ? headSentAt : undefined) ?? entry.endedAt,
    now: request.headers['x-sim-now'] === undefined ? entry.now : undefined,
    outcome,
    isGivenUp: outcome === 'lost' && (delivery.kind === 'client-gone' || entry.hasClientLeft),
    status: response.status,
    retryAfterMs: mayDemandWait ? readRetryAfter(response.headers) : undefined,
    insertId,
    body,
    retryCount: readRetryCount(request.headers),
  }
}

/** Returns the number of earlier attempts that the client counts, or undefined if it does not count. */
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
