import type { Faker, Randomizer } from '@faker-js/faker'
// The base locale is the cheapest way to faker (10 ms instead of 130): nothing here needs a locale's words.
import { faker as baseFaker } from '@faker-js/faker/locale/base'
import { deriveSeed, type SeedPath } from '../core/seeded.ts'

/** Where chance comes from, and the only use of faker. */
export type Random = Faker

/**
 * faker's own generator, a Mersenne Twister, takes 27 µs to seed: 2.4 ms for the 90 days of one answer. This one
 * takes a few nanoseconds: a counter that steps by an odd constant, each step mixed until its bits look alike.
 * Whole-number arithmetic only, so every engine gives the same values.
 */
function lightRandomizer(): Randomizer {
  let state = 0
  // Arrow functions, since faker calls them without their object.
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

/**
 * A private instance: the exported one is shared with whoever else uses faker in this process, and seeding it would
 * change their data. The class itself is exported only by the package's root, which loads every locale, so it is
 * taken from the instance.
 */
const PrivateFaker = baseFaker.constructor as typeof Faker
const privateFaker = new PrivateFaker({ locale: {}, randomizer: lightRandomizer() })
privateFaker.setDefaultRefDate('2026-01-01T00:00:00.000Z')

/**
 * Calls `take` with chance that is always the same for the same source. It means one instance per source; creating
 * one costs over 100 µs, so one instance is seeded anew for each. Nothing leaks between sources as long as `take`
 * takes all it needs before it returns: it must not be async, keep the chance, or draw from another source meanwhile.
 */
export function draw<T>(source: SeedPath, take: (chance: Random) => T): T {
  privateFaker.seed(deriveSeed(source))
  return take(privateFaker)
}

/** A number in [0, 1). */
export function uniform(chance: Random): number {
  return chance.number.float()
}

/** A number between -1 and 1 that is mostly near 0: noise around a typical value. */
export function noise(chance: Random): number {
  return ((uniform(chance) + uniform(chance) + uniform(chance)) * 2) / 3 - 1
}
