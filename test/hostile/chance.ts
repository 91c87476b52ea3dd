/** The command that is tried. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** A number from 0 to 1. */
export type Chance = () => number
