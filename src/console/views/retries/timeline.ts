import type { Schema } from '../../api/answers.ts'

/** An attempt at its place on the time line of its chain. Places and widths are percentages of the line. */
export interface PlacedAttempt {
  readonly attempt: Schema<'RetryAttempt'>
  /** The place at which it was sent. */
  readonly start: number
  /** The place at which its answer had been delivered. */
  readonly end: number
  /** The place until which the answer asked to wait; undefined: it did not ask. */
  readonly waitEnd: number | undefined
  /** The width up to the next attempt, or to the end of the line. */
  readonly width: number
}

/** A chain of attempts as a time line. */
export interface Timeline {
  readonly attempts: readonly PlacedAttempt[]
  /** The milliseconds from the first listed attempt to the last answer. */
  readonly spanMs: number
}

/** The share of the line that all attempts get in equal parts, percent, so that those without a pause between them can be read. */
export const equalShare = 60

/** The least time that a line stands for, milliseconds, so that a fast answer looks fast also where it is alone. */
const minLineMs = 200

/** Places the attempts of a chain. The rest of the line is as long as the time, including a wait that is not over. */
export function placeAttempts(attempts: readonly Schema<'RetryAttempt'>[]): Timeline {
  const timed = addTimes(attempts)
  const spanMs = timed.at(-1)?.endMs ?? 0
  // Something follows the last answer, so that it does not look as long as the rest of the line.
  const lineMs = Math.max(minLineMs, spanMs * 1.1, ...timed.map(({ waitEndMs = 0 }) => waitEndMs))
  const knots = [...timed.map(({ startMs }) => startMs), lineMs]
  const widths = timed.map(({ startMs }, index) => {
    const share = ((knots[index + 1] ?? lineMs) - startMs) / lineMs
    return equalShare / timed.length + share * (100 - equalShare)
  })
  const startOf = (index: number) => widths.slice(0, index).reduce((sum, width) => sum + width, 0)
  const placeOf = (ms: number) => {
    const index = Math.max(
      0,
      knots.findLastIndex((knot, at) => at < timed.length && knot <= ms),
    )
    const [from = 0, to = 0] = knots.slice(index)
    const share = to > from ? Math.min(1, (ms - from) / (to - from)) : 0
    return startOf(index) + share * (widths[index] ?? 0)
  }
  return {
    spanMs,
    attempts: timed.map(({ attempt, endMs, waitEndMs }, index) => ({
      attempt,
      start: startOf(index),
      end: placeOf(endMs),
      waitEnd: waitEndMs === undefined ? undefined : placeOf(waitEndMs),
      width: widths[index] ?? 0,
    })),
  }
}

/** Adds the times since the first attempt. They rest on the pauses as they are judged, in which advancing the sandbox's clock is waiting. */
function addTimes(attempts: readonly Schema<'RetryAttempt'>[]) {
  let endMs = 0
  return attempts.map((attempt, index) => {
    const { tookMs, waitedMs = 0, retryAfterMs } = attempt
    const startMs = index === 0 ? 0 : endMs + waitedMs
    endMs = startMs + tookMs
    return {
      attempt,
      startMs,
      endMs,
      waitEndMs: retryAfterMs === undefined ? undefined : endMs + retryAfterMs,
    }
  })
}
