/** The way in which a try ended, as the client saw it. */
export type TryEnd = 'whole' | 'cancelled' | 'broken' | 'timed out'

/** One try of a call, as the client's own `fetch` saw it. Times are those of the client's process, milliseconds. */
export interface LoggedTry {
  /** The name of the call: `2.0` is the first member of the third group. */
  readonly call: string
  /** The number of earlier tries of the call. */
  readonly number: number
  readonly sentAt: number
  readonly insertId: string | undefined
  /** The text of the body, if any. */
  readonly body: string | undefined
  /** True where it was, or may have been, the first request of a connection that was opened before. */
  mayBeOverSpare: boolean
  /** The time at which the head of the answer arrived, if it did. */
  headAt: number | undefined
  /** The status of the answer, or undefined if no head arrived. */
  status: number | undefined
  /** The wait that the answer demanded, if any, in milliseconds. */
  retryAfterMs: number | undefined
  endedAt: number
  end: TryEnd
}

/** Creates the entry of a try that was sent just now and has no end yet. */
export function beginTry(
  name: Pick<LoggedTry, 'call' | 'number' | 'insertId'>,
  body: string | undefined,
  now: () => number,
): LoggedTry {
  return {
    ...name,
    body,
    sentAt: now(),
    mayBeOverSpare: false,
    headAt: undefined,
    status: undefined,
    retryAfterMs: undefined,
    endedAt: Number.NaN,
    end: 'broken',
  }
}

/** The outcome of a try, from the status that arrived and the end of the body. */
type TryOutcome = 'fine' | 'refused' | 'failed' | 'lost'

/** Returns the outcome of a try. The head of an error is enough: its status is known, whatever becomes of the body. */
export function outcomeOf({ status, end }: LoggedTry): TryOutcome {
  if (status === undefined) return 'lost'
  if (status === 429 || status >= 500) return 'failed'
  if (status >= 400) return 'refused'
  return end === 'whole' ? 'fine' : 'lost'
}
