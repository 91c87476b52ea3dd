import type { JournalEntry } from '../journal/entry.ts'
import type { CallKey } from './call-key.ts'
import type { MannersRule } from './manners-rules.ts'
import { sentAtOf } from './sent-at.ts'

/** One request of a call, with its outcome. */
export interface Attempt {
  /** The request's id. */
  readonly id: string
  /** The time at which the request was sent at the latest, by the process's monotonic clock, milliseconds. */
  readonly sentAt: number
  /** The time at which the answer was delivered or lost, by the same clock. */
  readonly endedAt: number
  /** The sandbox's time of receipt, epoch milliseconds. */
  readonly now: number
  /**
   * `lost`: the client got no usable answer. `failed`: a 429 or 5xx. `refused`: a 400, 401, 403 or 404, which a retry cannot change.
   * `fine`: any other status.
   */
  readonly outcome: 'fine' | 'lost' | 'failed' | 'refused'
  readonly status: number
  /** The wait that `Retry-After` or `retry-after-ms` demands, milliseconds; undefined for none. */
  readonly retryAfterMs: number | undefined
  readonly insertId: string | undefined
  /** The number of earlier attempts that the client itself counts in a header; undefined for a client that does not count. */
  readonly retryCount: number | undefined
}

/** A call that has failed and not yet succeeded. */
export interface RetryChain {
  /** The number of the chain's first request, which tells its findings apart from those of other chains. */
  readonly name: string
  readonly last: Attempt
  /**
   * True where another request of the call was under way together with one of the chain: the client asks in parallel, so that a first
   * attempt cannot be told from a retry, unless the client counts its retries.
   */
  readonly isParallel: boolean
  /** The pauses before the latest retries, milliseconds, without those that follow a `Retry-After`. */
  readonly pauses: readonly number[]
}

/** The largest difference by which a wait may be too short, milliseconds, since clocks and timers are inexact. */
const toleranceMs = 20

/** The pause below which a retry counts as immediate, milliseconds. */
const immediateMs = 10

/** The pause beyond the demanded wait after which a request begins a new call, milliseconds. */
const newCallAfterMs = 60_000

/** Statuses of refusals that the same request would get again. */
const finalStatuses = [400, 401, 403, 404]

/** Returns true where the client got no success, so that its next attempt is judged as a retry. */
export function hasFailed(entry: JournalEntry): boolean {
  return judgeOutcome(entry) !== 'fine'
}

function judgeOutcome({ delivery, answer: { status } }: JournalEntry): Attempt['outcome'] {
  if (delivery.kind !== 'delivered') return 'lost'
  if (status === 429 || status >= 500) return 'failed'
  return finalStatuses.includes(status) ? 'refused' : 'fine'
}

/** Creates the attempt of an exchange. */
export function toAttempt(entry: JournalEntry, { insertId }: CallKey): Attempt {
  const { id, now, endedAt, answer } = entry
  const outcome = judgeOutcome(entry)
  const mayDemandWait = outcome === 'failed' && [429, 503].includes(answer.status)
  return {
    id,
    sentAt: sentAtOf(entry),
    endedAt,
    now,
    outcome,
    status: answer.status,
    retryAfterMs: mayDemandWait ? readRetryAfter(answer.headers) : undefined,
    insertId,
    retryCount: readRetryCount(entry.request.headers),
  }
}

/** Headers in which client libraries count the attempts before: 0 in the first one. */
const retryCountHeaders = ['x-stainless-retry-count', 'retry-attempt']

function readRetryCount(headers: Readonly<Record<string, string>>): number | undefined {
  const count = retryCountHeaders.map((name) => headers[name]).find((value) => value !== undefined)
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

/** The relation of an attempt to a chain of its call. `unclear`: a retry, or a first attempt of a client that asks in parallel. */
export type AttemptKind = 'retry' | 'parallel' | 'first' | 'unclear'

/** Classifies an attempt. The count of a client that counts its retries is believed. */
export function classifyAttempt(latest: Attempt, { last, isParallel }: RetryChain): AttemptKind {
  if (!isSentAfter(latest, last)) return 'parallel'
  if (latest.retryCount !== undefined) return latest.retryCount > 0 ? 'retry' : 'first'
  return isParallel ? 'unclear' : 'retry'
}

/** Returns true where an attempt was sent before a retry of the chain's last attempt is due. */
export function isWaiting({ sentAt }: Attempt, { last }: RetryChain): boolean {
  return sentAt < last.endedAt + (last.retryAfterMs ?? 0)
}

/**
 * Returns true where a request was sent after an answer had been delivered, so that it can be its retry. A client knows that it gives
 * up before the simulator does, so a retry of a lost answer may come a little earlier.
 */
function isSentAfter(latest: Attempt, last: Attempt): boolean {
  return latest.sentAt >= last.endedAt - (last.outcome === 'lost' ? immediateMs : 0)
}

/** A rule of manners that a retry broke. */
export interface RetryFault {
  readonly rule: MannersRule
  readonly sentence: string
  /** The pause before the retry, milliseconds; undefined for a rule without a time. */
  readonly waitedMs: number | undefined
}

/** Returns true where a request that was sent at this time of the monotonic clock, milliseconds, begins a new call. */
export function isExpired({ last }: RetryChain, sentAt: number): boolean {
  return isNewCall(last, sentAt - last.endedAt)
}

/** Returns true where a request after this pause, milliseconds, begins a new call. */
export function isNewCall({ retryAfterMs = 0 }: Attempt, pause: number): boolean {
  return pause > retryAfterMs + newCallAfterMs
}

/** Judges an attempt as a retry of a chain. @returns the pauses of the continued chain, and the rules that the retry broke */
export function judgeRetry(
  chain: RetryChain,
  latest: Attempt,
  isIdempotent: boolean,
): { readonly pauses: readonly number[]; readonly faults: readonly RetryFault[] } {
  const { last } = chain
  const waited = measurePause(last, latest)
  if (last.outcome === 'refused') return { pauses: [], faults: checkNoRetry(last, latest) }
  const hasDemandedWait = last.retryAfterMs !== undefined
  const pauses = hasDemandedWait ? chain.pauses : [...chain.pauses, waited].slice(-3)
  const faults = [
    hasDemandedWait ? checkRetryAfter(last, waited) : checkBackOff(last, waited, pauses),
    isIdempotent ? checkInsertId(last, latest) : undefined,
  ]
  return { pauses, faults: faults.filter((fault) => fault !== undefined) }
}

/** Returns the pause in the machine's time, or in the sandbox's time where a test advanced its clock meanwhile; milliseconds. */
export function measurePause(last: Attempt, latest: Attempt): number {
  const real = latest.sentAt - last.endedAt
  const advanced = latest.now - last.now
  return advanced - (latest.sentAt - last.sentAt) > toleranceMs ? Math.max(real, advanced) : real
}

function checkNoRetry(last: Attempt, latest: Attempt): RetryFault[] {
  if (last.insertId !== latest.insertId) return []
  const sentence = `A request that was refused with ${last.status} was sent again unchanged.`
  return [{ rule: 'no-retry', sentence, waitedMs: undefined }]
}

function checkRetryAfter({ retryAfterMs = 0, status }: Attempt, waited: number): RetryFault | undefined {
  if (waited >= retryAfterMs - toleranceMs) return undefined
  const sentence = `A ${status} asked to wait for ${retryAfterMs / 1000} s, and the client came back earlier.`
  return { rule: 'retry-after', sentence, waitedMs: Math.round(waited) }
}

/**
 * Checks the pause before a retry without `Retry-After`. An immediate retry is a fault, except the first one after a lost
 * connection, since idle connections break without a cause. Two shrinking pauses in a row are a fault; a single one can be jitter.
 */
function checkBackOff(last: Attempt, waited: number, pauses: readonly number[]): RetryFault | undefined {
  const after = last.outcome === 'lost' ? 'a lost answer' : `a ${last.status}`
  const isFirstAfterLoss = last.outcome === 'lost' && pauses.length === 1
  if (waited < immediateMs && !isFirstAfterLoss) {
    const sentence = `After ${after} the client tried again at once.`
    return { rule: 'back-off', sentence, waitedMs: Math.round(waited) }
  }
  const shrinks = (index: number) => (pauses[index] ?? 0) + toleranceMs < (pauses[index - 1] ?? 0)
  if (pauses.length < 3 || !shrinks(1) || !shrinks(2)) return undefined
  const sentence = `After ${after} the client waited for ever less time before it tried again.`
  return { rule: 'back-off', sentence, waitedMs: Math.round(waited) }
}

/** Checks that a retry has the `insertId` of an attempt that may have been stored, which that of a 429 was not. */
function checkInsertId(last: Attempt, latest: Attempt): RetryFault | undefined {
  if (last.status === 429 && last.outcome === 'failed') return undefined
  if (latest.insertId !== undefined && last.insertId === latest.insertId) return undefined
  const how = latest.insertId === undefined ? 'without an insertId' : 'with another insertId'
  const after = last.outcome === 'lost' ? 'whose answer was lost' : `that was answered with ${last.status}`
  const sentence = `An event ${after} was sent again ${how}: it may be counted twice.`
  return { rule: 'same-insert-id', sentence, waitedMs: undefined }
}
