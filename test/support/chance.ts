import { deriveChance } from '../../src/base/core/seeded.ts'

/** Returns a function like `Math.random`, with a sequence that depends only on the seed, to reproduce failures. */
export function seededChance(seed: string): () => number {
  let count = 0
  return () => deriveChance([seed, count++])
}

/** The seed for the crash test, which includes it in its title. `CRASH_SEED=...` repeats a run's random choices. */
export const crashSeed = process.env['CRASH_SEED'] ?? '1'
