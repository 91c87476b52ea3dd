import { type Randomizer, SimpleFaker } from '@faker-js/faker'
import { deriveSeed, type SeedPath } from '../../base/core/seeded.ts'

export type Random = SimpleFaker

/**
 * Creates a generator that takes nanoseconds to seed; faker's Mersenne Twister takes 27 µs (2.4 ms for 90 days of
 * data). Each number is a counter, mixed by MurmurHash3's finalizer. Integer arithmetic is the same in all engines.
 */
function createLightRandomizer(): Randomizer {
  let state = 0
  // faker calls these functions without `this`.
  return {
    seed: (seed) => {
      state = (typeof seed === 'number' ? seed : (seed[0] ?? 0)) | 0
    },
    next: () => {
      state = (state + 0x9e3779b9) | 0
      let bits = state
      bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
      bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
      return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32
    },
  }
}

/** A separate instance without locale data, because seeding faker's own instance would affect its other users. */
const privateFaker = new SimpleFaker({ randomizer: createLightRandomizer() })
privateFaker.setDefaultRefDate('2026-01-01T00:00:00.000Z')

/**
 * Calls `drawValues` with a generator that yields the same numbers for the same seed path. All calls reseed one shared
 * generator (creating one takes 100 µs), so `drawValues` must not be async, keep the generator, or call this function.
 */
export function withSeededRandom<T>(seedPath: SeedPath, drawValues: (random: Random) => T): T {
  privateFaker.seed(deriveSeed(seedPath))
  return drawValues(privateFaker)
}

export const uniform = (random: Random): number => random.number.float()

/** Draws a deviation from a typical value: a number from -1 to 1, mostly near 0. */
export const noise = (random: Random): number => ((uniform(random) + uniform(random) + uniform(random)) * 2) / 3 - 1
