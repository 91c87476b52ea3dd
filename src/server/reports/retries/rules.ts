/** The retry rules. Docs, reports and the control plane show the table `retryRules`. */

import { type Attempt, isSentAfter, measurePause, toleranceMs } from './attempt.ts'

interface RetryRuleRow {
  readonly rule: string
  /** What the traffic must show for a finding. */
  readonly proof: string
  /** How weaker evidence is treated. */
  readonly otherwise: string
}

export const retryRules = {
  'retry-after': {
    rule: 'After a 429 or 503 with Retry-After, the client must wait at least that long.',
    proof: 'A request with the same `insertId`, or with a retry count above 0, arrives sooner.',
    otherwise:
      'An identical call without an `insertId` or a retry count may be a second click, so it is reported as advice.',
  },
  'back-off': {
    rule:
      'After a 429, a 5xx or a lost response, the client must wait before each retry, and longer each time. The ' +
      'first retry after a lost response may be immediate.',
    proof:
      'The pauses before three consecutive retries total at most 15 ms, which jitter cannot explain; or a failed ' +
      'call is repeated 20 times in a row with pauses below 250 ms, even without an `insertId` or a retry count.',
    otherwise: 'Other short or shrinking waits may be due to jitter, so they are ignored.',
  },
  'same-insert-id': {
    rule: 'An event that is resent after a 5xx or a lost response must keep its insertId.',
    proof:
      'A request with a retry count above 0 has a different `insertId` or none; or the response to a stored event ' +
      'was lost, and, before any success, the same client stored an identical event without an `insertId`.',
    otherwise:
      'A similar event without an `insertId`, or with a different `insertId`, time or attempt counter, ' +
      'may be a separate event, so it is reported only as advice.',
  },
  'no-retry': {
    rule: 'A request that was refused with 400, 401, 403 or 404 must not be resent unchanged.',
    proof: 'A request with a retry count above 0 is identical to the refused request, including the body.',
    otherwise: 'The reason for the refusal may no longer apply, so a resend without a retry count is ignored.',
  },
  'content-type': {
    rule: 'A request with a body must have a Content-Type.',
    proof: 'The header is missing.',
    otherwise: '',
  },
  'user-agent': { rule: 'Every request must have a User-Agent.', proof: 'The header is missing.', otherwise: '' },
} as const satisfies Record<string, RetryRuleRow>

export type RetryRule = keyof typeof retryRules

export const unjudgedReasons = {
  'no-id': 'a later identical call had neither an insertId nor a retry count',
  'other-event': 'a later similar event had a different insertId, time or attempt counter',
  'separate-events': 'the client sends identical events even after one has succeeded',
  parallel: 'an identical call, such as a hedged request, was in progress at the same time',
  'several-clients': 'an identical call used a concurrent connection, or a different User-Agent or forwarded address',
  'new-rules': 'scenario rules, or headers that select a scenario, seed or response, changed before an identical call',
  ambiguous: 'a retry may belong to any of several calls',
  dropped: 'no retry was received before the call was evicted from the journal',
} as const

export type UnjudgedReason = keyof typeof unjudgedReasons

export interface RetryProblem {
  readonly rule: RetryRule
  /** A description without measured times, so that it is identical in every run. */
  readonly sentence: string
  /** The pause before the retry in milliseconds; absent if the rule does not measure it. */
  readonly waitedMs?: number
}

/** Pauses that jitter cannot explain: how many in a row, and their maximum total in milliseconds. */
const immediate = { count: 3, totalMs: 15 }

/** Calls too fast for a person or a client that backs off: how many in a row, and the maximum pause in milliseconds. */
const loop = { count: 20, eachMs: 250 }

/** Judges an attempt as a retry of the failed attempt `last`. `pauses`: the call's pauses, including the latest. */
export function judgeRetry(last: Attempt, pauses: readonly number[], latest: Attempt): readonly RetryProblem[] {
  const isCounted = (latest.retryCount ?? 0) > 0
  const idProblems = isCounted ? checkInsertId(last, latest) : []
  if (last.outcome === 'uncertain') return idProblems
  if (last.outcome === 'refused') return isCounted ? checkNoRetry(last, latest) : []
  const waitedMs = Math.round(measurePause(last, latest))
  const early = isEarly(last, latest) ? [{ rule: 'retry-after', sentence: describeEarly(last), waitedMs } as const] : []
  return [...early, ...checkBackOff(last, pauses, waitedMs), ...idProblems]
}

/** Returns true if the wait was shorter than `Retry-After`, unless its date has passed on the machine's clock. */
function isEarly(last: Attempt, latest: Attempt): boolean {
  const { retryAfterMs, retryAt = Number.POSITIVE_INFINITY } = last
  if (retryAfterMs === undefined || latest.at >= retryAt - toleranceMs) return false
  return measurePause(last, latest) < retryAfterMs - toleranceMs
}

const describeEarly = ({ retryAfterMs = 0, status }: Attempt) =>
  `A ${status} asked for a wait of ${Math.ceil(retryAfterMs / 100) / 10} s, but the client retried sooner.`

const isFailure = ({ outcome }: Attempt) => outcome === 'lost' || outcome === 'failed'

/** Returns a call's latest pauses after consecutive failures, excluding pauses after a `Retry-After`. */
export function addPause(last: Attempt, earlier: readonly number[], latest: Attempt): readonly number[] {
  if (last.retryAfterMs !== undefined) return earlier
  return isFailure(last) ? [...earlier, measurePause(last, latest)].slice(-immediate.count) : []
}

function checkBackOff(last: Attempt, pauses: readonly number[], waitedMs: number): RetryProblem[] {
  const totalMs = pauses.reduce((sum, pause) => sum + pause, 0)
  if (last.retryAfterMs !== undefined || pauses.length < immediate.count || totalMs > immediate.totalMs) return []
  return [{ rule: 'back-off', sentence: describeFastRetries(last, immediate.count), waitedMs }]
}

const describeFastRetries = ({ outcome, status }: Attempt, count: number) =>
  `After ${outcome === 'lost' ? 'a lost response' : `a ${status}`}, ` +
  `the client retried immediately ${count} times in a row.`

function checkNoRetry(last: Attempt, latest: Attempt): RetryProblem[] {
  if (last.call.body !== latest.call.body) return []
  return [{ rule: 'no-retry', sentence: `A request that was refused with ${last.status} was resent unchanged.` }]
}

/** Checks that a retry keeps the `insertId` of an event that may have been stored. After a 429, nothing was stored. */
function checkInsertId(last: Attempt, latest: Attempt): RetryProblem[] {
  const { insertId, isIdempotent } = latest.call
  if (!isIdempotent || !mayBeStored(last)) return []
  if (insertId !== undefined && last.call.insertId === insertId) return []
  const how = insertId === undefined ? 'without an insertId' : 'with a different insertId'
  const after = last.outcome === 'failed' ? `that got a ${last.status}` : 'whose response was lost'
  return [{ rule: 'same-insert-id', sentence: `An event ${after} was resent ${how}, so it may be counted twice.` }]
}

export const duplicateEvent: RetryProblem = {
  rule: 'same-insert-id',
  sentence: 'An event was stored, the response was lost, and an identical event without an insertId was stored later.',
}

/** Returns true if the service may have stored the event of a failed attempt. */
export function mayBeStored({ outcome, status }: Attempt): boolean {
  return outcome === 'lost' || (outcome !== 'refused' && (status < 400 || status >= 500))
}

/** Finds identical failed calls in quick succession, even if they cannot be proven to be retries. */
export class TightLoops {
  readonly #runs = new Map<string, { last: Attempt; count: number }>()

  /** Adds an attempt. Returns a problem if it completes a series too fast for a person or a client that backs off. */
  add(latest: Attempt): RetryProblem | undefined {
    const { key } = latest.call
    const run = this.#runs.get(key)
    const waited = run ? measurePause(run.last, latest) : Number.POSITIVE_INFINITY
    const isContinued =
      run && run.last.sender === latest.sender && isSentAfter(latest, run.last.endedAt) && waited < loop.eachMs
    this.#runs.delete(key)
    const count = isContinued ? run.count + 1 : 0
    if (isFailure(latest)) this.#runs.set(key, { last: latest, count }) // repeated refused calls may be polling
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > maxRuns && oldest !== undefined) this.#runs.delete(oldest)
    if (!isContinued || count % loop.count !== 0) return undefined
    return { rule: 'back-off', sentence: describeFastRetries(run.last, loop.count), waitedMs: Math.round(waited) }
  }
}

const maxRuns = 1000
