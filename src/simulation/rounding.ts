/** Scores have four decimals. Averages are taken over the rounded values, so that a reader can recompute them. */
const SCORE_UNIT = 10_000

/** Four decimals, never `-0`. */
export function roundScore(value: number): number {
  return Math.round(value * SCORE_UNIT) / SCORE_UNIT + 0
}

/** Two decimals: percentages and ratings. */
export function roundHundredth(value: number): number {
  return Math.round(value * 100) / 100 + 0
}

/** Held within [low, high]. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

/** A score as a whole number of ten-thousandths: sums of these are exact, whatever the order. */
export function inUnits(score: number): number {
  return Math.round(score * SCORE_UNIT)
}

/** The score that is `units` ten-thousandths, rounded. */
export function fromUnits(units: number): number {
  return roundScore(units / SCORE_UNIT)
}
