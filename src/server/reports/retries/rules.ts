/** The rules on retries: `retryRules` is the table that docs, reports and control plane show. */

import { type Attempt, isSentAfter, measurePause, toleranceMs } from './attempt.ts'

interface RetryRuleRow {
  readonly rule: string
  /** What the traffic must show for a finding. */
  readonly proof: string
  /** What becomes of weaker signs. */
  readonly otherwise: string
}

export const retryRules = {
  'retry-after': {
    rule: 'After a 429 or 503 with Retry-After the client waits as long as it says.',
    proof: 'The same `insertId`, or a retry count above 0, comes back earlier.',
    otherwise: 'An equal call without either may be a second click: advice.',
  },
  'back-off': {
    rule:
      'After a 429, a 5xx or a lost response the client waits before it tries again, and longer each time. The first ' +
      'retry after a lost response may be immediate.',
    proof:
      'Three retries in a row come within 15 ms in all, which no jitter explains; or, also without an id or a count, ' +
      '20 equal calls in a row come within 250 ms each.',
    otherwise: 'Short and shrinking waits are jitter: nothing.',
  },
  'same-insert-id': {
    rule: 'An event that is sent again after a 5xx or a lost response has the insertId that it had.',
    proof:
      'An event was stored, its response was lost, and the same client stored an equal one without an `insertId`, ' +
      'however much later; or a retry count above 0 comes with another `insertId`.',
    otherwise:
      'Another `insertId`, `eventAt` or counter in the body, or an equal event at the same time: it may be another ' +
      'event, so advice.',
  },
  'no-retry': {
    rule: 'A request that was refused with 400, 401, 403 or 404 is not sent again unchanged.',
    proof: 'A retry count above 0 comes with the same body.',
    otherwise: 'The reason for the refusal may be gone: nothing.',
  },
  'content-type': {
    rule: 'A request with a body says what type it has.',
    proof: 'The header is missing.',
    otherwise: '',
  },
  'user-agent': { rule: 'A request says who sends it.', proof: 'The header is missing.', otherwise: '' },
} as const satisfies Record<string, RetryRuleRow>

export type RetryRule = keyof typeof retryRules

/** The reasons why a failed call could not be judged, although an equal call followed. */
export const unjudgedReasons = {
  'no-id': 'an equal call without an insertId and a retry count followed',
  'other-event': 'a like event with another insertId, eventAt or counter followed',
  'separate-events': 'the client also sends equal events after a stored one',
  parallel: 'an equal call was under way at the same time',
  'several-clients': 'the equal call came over another open connection, from another address or User-Agent',
  'new-rules': 'rules, scenarios or steering headers changed before the equal call',
  ambiguous: 'a counted retry may belong to several calls',
  dropped: 'it is older than the journal reaches',
} as const

export type UnjudgedReason = keyof typeof unjudgedReasons

export interface RetryFault {
  readonly rule: RetryRule
  /** A description without machine times, so that it is the same in every run. */
  readonly sentence: string
  /** The pause before the retry, milliseconds; absent for a rule without a time. */
  readonly waitedMs?: number
}

/** Pauses that jitter cannot explain: the number in a row, and the maximum milliseconds in total. */
const immediate = { count: 3, totalMs: 15 }

/** Calls faster than any person or back-off: the number in a row, and the maximum milliseconds between two. */
const loop = { count: 20, eachMs: 250 }

/** Judges an attempt as a proved retry of the failed `last`. `pauses`: those of the call, including the latest. */
export function judgeRetry(last: Attempt, pauses: readonly number[], latest: Attempt): readonly RetryFault[] {
  const isCounted = (latest.retryCount ?? 0) > 0
  const idFaults = isCounted ? checkInsertId(last, latest) : []
  if (last.outcome === 'uncertain') return idFaults
  if (last.outcome === 'refused') return isCounted ? checkNoRetry(last, latest) : []
  const waitedMs = Math.round(measurePause(last, latest))
  const early = isEarly(last, latest) ? [{ rule: 'retry-after', sentence: describeEarly(last), waitedMs } as const] : []
  return [...early, ...checkBackOff(last, pauses, waitedMs), ...idFaults]
}

/** Returns true for a wait shorter than `Retry-After` demands; a date may be waited for by the client's own clock. */
function isEarly(last: Attempt, latest: Attempt): boolean {
  const { retryAfterMs, retryAt = Number.POSITIVE_INFINITY } = last
  if (retryAfterMs === undefined || latest.at >= retryAt - toleranceMs) return false
  return measurePause(last, latest) < retryAfterMs - toleranceMs
}

const describeEarly = ({ retryAfterMs = 0, status }: Attempt) =>
  `A ${status} asked to wait for ${Math.ceil(retryAfterMs / 100) / 10} s, and the client came back earlier.`

const isFailure = ({ outcome }: Attempt) => outcome === 'lost' || outcome === 'failed'

/** Returns the latest pauses of a call, without those that `Retry-After` demands. */
export function addPause(last: Attempt, earlier: readonly number[], latest: Attempt): readonly number[] {
  if (last.retryAfterMs !== undefined) return earlier
  return isFailure(last) ? [...earlier, measurePause(last, latest)].slice(-immediate.count) : []
}

function checkBackOff(last: Attempt, pauses: readonly number[], waitedMs: number): RetryFault[] {
  const totalMs = pauses.reduce((sum, pause) => sum + pause, 0)
  if (last.retryAfterMs !== undefined || pauses.length < immediate.count || totalMs > immediate.totalMs) return []
  return [{ rule: 'back-off', sentence: describeHaste(last, immediate.count), waitedMs }]
}

const describeHaste = ({ outcome, status }: Attempt, count: number) =>
  `After ${outcome === 'lost' ? 'a lost response' : `a ${status}`} ` +
  `the client tried again at once, ${count} times in a row.`

function checkNoRetry(last: Attempt, latest: Attempt): RetryFault[] {
  if (last.call.body !== latest.call.body) return []
  return [{ rule: 'no-retry', sentence: `A request that was refused with ${last.status} was sent again unchanged.` }]
}

/** Checks that a retry has the `insertId` of an attempt that may have been stored; after a 429 it was not. */
function checkInsertId(last: Attempt, latest: Attempt): RetryFault[] {
  const { insertId, isIdempotent } = latest.call
  if (!isIdempotent || !mayBeStored(last)) return []
  if (insertId !== undefined && last.call.insertId === insertId) return []
  const how = insertId === undefined ? 'without an insertId' : 'with another insertId'
  const after = last.outcome === 'failed' ? `that got ${last.status}` : 'whose response was lost'
  return [{ rule: 'same-insert-id', sentence: `An event ${after} was sent again ${how}: it may be counted twice.` }]
}

export const countedTwice: RetryFault = {
  rule: 'same-insert-id',
  sentence: 'An event whose response was lost was stored, and an equal one without an insertId was stored again.',
}

/** Returns true if the service may have stored the event of a failed attempt. */
export function mayBeStored({ outcome, status }: Attempt): boolean {
  return outcome === 'lost' || (outcome !== 'refused' && (status < 400 || status >= 500))
}

/** Equal failed calls of a client in quick succession, from whatever code. */
export class TightLoops {
  readonly #runs = new Map<string, { last: Attempt; count: number }>()

  /** Adds an attempt; returns a fault for each series that is faster than any person or back-off. */
  add(latest: Attempt): RetryFault | undefined {
    const { key } = latest.call
    const run = this.#runs.get(key)
    const waited = run ? measurePause(run.last, latest) : Number.POSITIVE_INFINITY
    const goesOn =
      run && run.last.sender === latest.sender && isSentAfter(latest, run.last.endedAt) && waited < loop.eachMs
    this.#runs.delete(key)
    const count = goesOn ? run.count + 1 : 0
    if (isFailure(latest)) this.#runs.set(key, { last: latest, count }) // a refused call may be polled
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > maxRuns && oldest !== undefined) this.#runs.delete(oldest)
    if (!goesOn || count % loop.count !== 0) return undefined
    return { rule: 'back-off', sentence: describeHaste(run.last, loop.count), waitedMs: Math.round(waited) }
  }
}

const maxRuns = 1000
