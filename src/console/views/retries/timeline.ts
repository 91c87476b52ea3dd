import type { Schema } from '../../api/answers.ts'

/** An attempt with its piece of the time line, which ends where the next attempt begins. */
export interface PlacedAttempt {
  readonly attempt: Schema<'RetryAttempt'>
  /** The width of the piece, percent of the line. */
  readonly width: number
  /** The ends of the bars, percent of the piece: the request, the wait it asked for, and a wait that was cut short. */
  readonly took: number
  readonly demanded: number
  readonly missed: number
}

/** A chain of attempts as a time line. */
export interface Timeline {
  readonly attempts: readonly PlacedAttempt[]
  /** The milliseconds from the first listed attempt to the last answer. */
  readonly spanMs: number
}

/** The share of the line that the attempts get in equal parts, percent, so that those without a pause can be read. */
export const equalShare = 60

/** The least time that a line stands for, milliseconds, so that a fast answer looks fast also where it is alone. */
const minLineMs = 200

/**
 * Places the attempts of a chain by the pauses as they are judged, in which advancing the sandbox's clock is waiting.
 * The line includes a wait that is not over.
 */
export function placeAttempts(attempts: readonly Schema<'RetryAttempt'>[]): Timeline {
  let endMs = 0
  const timed = attempts.map((attempt, index) => {
    const startMs = index === 0 ? 0 : endMs + (attempt.waitedMs ?? 0)
    endMs = startMs + attempt.tookMs
    return { attempt, startMs, endMs, waitEndMs: endMs + (attempt.retryAfterMs ?? 0) }
  })
  // Something follows the last answer, so that it does not look as long as the rest of the line.
  const lineMs = Math.max(minLineMs, endMs * 1.1, ...timed.map(({ waitEndMs }) => waitEndMs))
  const placed = timed.map(({ attempt, startMs, endMs, waitEndMs }, index) => {
    const pieceMs = (timed[index + 1]?.startMs ?? lineMs) - startMs
    const owedUntil = Math.max(0, ...timed.slice(0, index).map((before) => before.waitEndMs))
    const percentOf = (ms: number) => Math.min(100, Math.max(0, ((ms - startMs) / pieceMs) * 100))
    return {
      attempt,
      width: equalShare / timed.length + (pieceMs / lineMs) * (100 - equalShare),
      took: percentOf(endMs),
      demanded: attempt.retryAfterMs === undefined ? 0 : percentOf(waitEndMs),
      missed: percentOf(owedUntil),
    }
  })
  return { spanMs: endMs, attempts: placed }
}
