import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { Store } from '../store.ts'
import { CONSUME_RATE, LIST_SEQUENCES, NEXT_SEQUENCE_INDEX } from './lua/counter-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which unused sequences, and rate windows besides their length, are forgotten. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/**
 * Creates the counters of all replicas. Each step is one script; the script that replaces a sandbox's data discards
 * them. `ownSteps`: the steps of a fork by their counter, which Redis does not have, and no list has.
 */
export function createCounters(
  scripts: SandboxScripts,
  ownSteps: Map<string, number>,
): Pick<Store, 'consumeRate' | 'nextSequenceIndex' | 'listSequences'> {
  /** Counts a step of a fork. Returns the number of its earlier ones: 0 where Redis counts them. */
  function countOwn(counter: string): number {
    const before = ownSteps.get(counter) ?? 0
    if (scripts.isFork) ownSteps.set(counter, before + 1)
    return before
  }
  return {
    async consumeRate({ sandbox, now }, key, limit, windowMs) {
      const field = shorten(key, 0) // a hash, since the key has the token of a caller
      const own = countOwn(`windows ${sandbox} ${field}`)
      const lifeMs = Math.ceil(windowMs) + UNUSED_MS
      const args = ['windows', field, MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
      const [before, ends] = await scripts.run(CONSUME_RATE, sandbox, args)
      const left = limit - Number(before) - own
      return { allowed: left > 0, limit, remaining: Math.max(0, left - 1), resetMs: Number(ends) - now }
    },
    async nextSequenceIndex(sandbox, key) {
      const field = shorten(key, MAX_SEQUENCE_KEY)
      const own = countOwn(`sequences ${sandbox} ${field}`)
      const args = ['sequences', field, MAX_SEQUENCES, UNUSED_MS]
      const [before] = await scripts.run(NEXT_SEQUENCE_INDEX, sandbox, args)
      return Number(before) + own
    },
    async listSequences(sandbox) {
      const listed = await scripts.run(LIST_SEQUENCES, sandbox)
      return new Map((listed as [string, number][]).map(([key, count]) => [key, count])) // the script returns pairs
    },
  }
}
