import { deriveChance } from '../../src/core/seeded.ts'

/** Chance that a failure can be repeated with: the n-th number of a seed is always the same, 0 to 1. */
export function seededChance(seed: string): () => number {
  let count = 0
  return () => deriveChance([seed, count++])
}

/** Named in the title of each test that hangs on chance. `CRASH_SEED=...` repeats a run. */
export const crashSeed = process.env['CRASH_SEED'] ?? '1'
