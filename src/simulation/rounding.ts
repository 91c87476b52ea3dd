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

/**
 * The average of scores by weight, as scores are rounded; null without weight. Sums whole ten-thousandths, which is
 * exact, so that the order of the values cannot change the last digit.
 */
export function weightedScore(
  values: Iterable<{ readonly score: number; readonly weight: number }>,
): number | null {
  let sum = 0
  let weights = 0
  for (const { score, weight } of values) {
    sum += Math.round(score * SCORE_UNIT) * weight
    weights += weight
  }
  return weights === 0 ? null : roundScore(sum / weights / SCORE_UNIT)
}
