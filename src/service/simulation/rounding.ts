/** The number of steps from score 0 to 1. Averages come from rounded scores, so that a client can recompute them. */
const SCORE_UNIT = 10_000

/** Rounds to four decimals, never to `-0`. */
export function roundScore(value: number): number {
  return Math.round(value * SCORE_UNIT) / SCORE_UNIT + 0
}

/** Rounds a percentage or a rating to two decimals, never to `-0`. */
export function roundHundredth(value: number): number {
  return Math.round(value * 100) / 100 + 0
}

/** Limits a value to the range from `low` to `high`, both included. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** Converts a score to a whole number of ten-thousandths. Sums of whole numbers are exact in any order. */
export function toUnits(score: number): number {
  return Math.round(score * SCORE_UNIT)
}

/** Converts ten-thousandths to a score, rounded. */
export function fromUnits(units: number): number {
  return roundScore(units / SCORE_UNIT)
}
