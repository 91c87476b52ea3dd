import { deriveChance } from '../../src/base/core/seeded.ts'

/** Returns a generator of numbers from 0 to 1. The same seed gives the same numbers, so failures can be reproduced. */
export function seededChance(seed: string): () => number {
  let count = 0
  return () => deriveChance([seed, count++])
}

/** The seed for randomized tests, which is part of their titles. `CRASH_SEED=...` repeats a run. */
export const crashSeed = process.env['CRASH_SEED'] ?? '1'
