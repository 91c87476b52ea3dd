/** The command that is tried. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** A number from 0 to 1. */
export type Chance = () => number

/** Returns a whole number from 0 up to, but not including, a count. */
export const pick = (chance: Chance, count: number) => Math.floor(chance() * count)
