import { deriveChance } from '../../src/base/core/seeded.ts'

/** Returns a function that returns numbers in [0, 1). A seed always gives the same numbers, to reproduce failures. */
export function seededChance(seed: string): () => number {
  let count = 0
  return () => deriveChance([seed, count++])
}

/** The seed for randomized tests, which is part of their titles. `CRASH_SEED=...` repeats a run. */
export const crashSeed = process.env['CRASH_SEED'] ?? '1'
