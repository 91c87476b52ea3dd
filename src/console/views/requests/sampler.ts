import type { Schema } from '../../api/answers.ts'

/** Rows a second that a reader can follow; more are sampled. */
const rowsPerSecond = 30

/** Rows that may come at once before the sampling begins. */
const burst = 90

/** Chooses the requests to list, so that the page stays quiet under any load. */
export interface Sampler {
  /** Returns the requests to list. Those with violations come before others. `now`: milliseconds. */
  choose(exchanges: readonly Schema<'Exchange'>[], now: number): readonly Schema<'Exchange'>[]
}

/** Creates a sampler that lets through `burst` requests at once, and `rowsPerSecond` for longer. */
export function createSampler(): Sampler {
  let allowance = burst
  let last = 0
  return {
    choose(exchanges, now) {
      allowance = Math.min(burst, allowance + ((now - last) / 1000) * rowsPerSecond)
      last = now
      const room = Math.floor(allowance)
      const chosen = exchanges.length <= room ? exchanges : pickImportant(exchanges, room)
      allowance -= chosen.length
      return chosen
    },
  }
}

function pickImportant(exchanges: readonly Schema<'Exchange'>[], count: number): readonly Schema<'Exchange'>[] {
  const isImportant = ({ violations }: Schema<'Exchange'>) => violations.length > 0
  const sorted = [...exchanges.filter(isImportant), ...exchanges.filter((one) => !isImportant(one)).reverse()]
  return sorted.slice(0, count).sort((a, b) => a.number - b.number)
}
