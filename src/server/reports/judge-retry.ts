import { type Attempt, immediateMs, measurePause, toleranceMs } from './attempts.ts'

export const retryRules = {
  'retry-after': 'After a 429 or 503 with Retry-After the client waits as long as it says.',
  'back-off': 'After a 429, a 5xx or a lost response the client waits before it asks again, and not ever shorter.',
  'same-insert-id': 'An event that is sent again after a 5xx or a lost response has the insertId that it had.',
  'no-retry': 'A request that was refused with 400, 401, 403 or 404 is not sent again unchanged.',
  'content-type': 'A request with a body says what type it has.',
  'user-agent': 'A request says who sends it.',
} as const

export type RetryRule = keyof typeof retryRules

export interface RetryFault {
  readonly rule: RetryRule
  /** A description without times of the machine, so that it is the same in every run. */
  readonly sentence: string
  /** The pause before the retry, milliseconds; absent for a rule without a time. */
  readonly waitedMs?: number
}

export interface RetryJudgement {
  /** The latest three pauses, milliseconds, with that before the retry and without those after a demanded wait. */
  readonly pauses: readonly number[]
  readonly faults: readonly RetryFault[]
}

/** Judges an attempt as a retry of the failed `last`, after the earlier `pauses` of the call. */
export function judgeRetry(last: Attempt, earlier: RetryJudgement['pauses'], latest: Attempt): RetryJudgement {
  const waited = measurePause(last, latest)
  if (last.outcome === 'uncertain')
    return { pauses: [], faults: latest.retryCount === undefined ? [] : checkInsertId(last, latest) }
  if (last.outcome === 'refused') return { pauses: [], faults: checkNoRetry(last, latest) }
  const hasDemandedWait = last.retryAfterMs !== undefined
  const pauses = hasDemandedWait ? earlier : [...earlier, waited].slice(-3)
  const early = hasDemandedWait ? checkRetryAfter(last, waited) : checkBackOff(last, waited, pauses)
  return { pauses, faults: [...early, ...checkInsertId(last, latest)] }
}

function checkNoRetry(last: Attempt, latest: Attempt): RetryFault[] {
  if (last.call.body !== latest.call.body) return []
  return [{ rule: 'no-retry', sentence: `A request that was refused with ${last.status} was sent again unchanged.` }]
}

function checkRetryAfter({ retryAfterMs = 0, status }: Attempt, waited: number): RetryFault[] {
  if (waited >= retryAfterMs - toleranceMs) return []
  const sentence = `A ${status} asked to wait for ${retryAfterMs / 1000} s, and the client came back earlier.`
  return [{ rule: 'retry-after', sentence, waitedMs: Math.round(waited) }]
}

/**
 * Checks the pause before a retry without `Retry-After`. An immediate retry is a fault, except the first one after a
 * lost connection, since idle connections break without a cause. So are two pauses in a row that are each below half of
 * the one before: jitter and a cap make waits shorter, too, but not by that much.
 */
function checkBackOff(last: Attempt, waited: number, pauses: readonly number[]): RetryFault[] {
  const isLost = last.outcome === 'lost'
  const isImmediate = waited < immediateMs && !(isLost && pauses.length === 1)
  const shrinks = (index: number) => (pauses[index] ?? 0) < (pauses[index - 1] ?? 0) / 2
  if (!isImmediate && (pauses.length < 3 || !shrinks(1) || !shrinks(2))) return []
  const after = isLost ? 'a lost response' : `a ${last.status}`
  const how = isImmediate ? 'tried again at once' : 'waited for ever less time before it tried again'
  return [{ rule: 'back-off', sentence: `After ${after} the client ${how}.`, waitedMs: Math.round(waited) }]
}

/** Checks that a retry has the `insertId` of an attempt that may have been stored, which that of a 429 was not. */
function checkInsertId(last: Attempt, latest: Attempt): RetryFault[] {
  const { insertId, isIdempotent } = latest.call
  if (!isIdempotent || !mayBeStored(last)) return []
  if (insertId !== undefined && last.call.insertId === insertId) return []
  const how = insertId === undefined ? 'without an insertId' : 'with another insertId'
  const after = last.outcome === 'failed' ? `that got ${last.status}` : 'whose response was lost'
  const sentence = `An event ${after} was sent again ${how}: it may be counted twice.`
  return [{ rule: 'same-insert-id', sentence }]
}

/** Returns true where the service may have stored the event of a failed attempt. */
export function mayBeStored({ outcome, status }: Attempt): boolean {
  return outcome === 'lost' || (outcome !== 'refused' && (status < 400 || status >= 500))
}
