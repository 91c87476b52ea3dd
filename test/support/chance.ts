import { deriveChance } from '../../src/base/core/seeded.ts'

/** Returns a function like `Math.random` with results that depend only on the seed, so failures can be reproduced. */
export function seededChance(seed: string): () => number {
  let count = 0
  return () => deriveChance([seed, count++])
}

/** The seed for the crash test's random choices. The test's title shows it. Set `CRASH_SEED` to repeat the choices. */
export const crashSeed = process.env['CRASH_SEED'] ?? '1'
