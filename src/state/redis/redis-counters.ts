import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { RateResult } from '../store.ts'
import { CONSUME_RATE, LIST_SEQUENCES, NEXT_SEQUENCE_INDEX } from './lua/counter-scripts.ts'
import type { SandboxScripts } from './sandbox-scripts.ts'

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which unused sequences, and rate windows besides their length, are forgotten. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/** The counters of all replicas. Each step is one script; the script that replaces a sandbox's data discards them. */
export class RedisCounters {
  readonly #scripts: SandboxScripts
  /** The steps of a fork by their counter, which Redis does not have. */
  readonly #own: Map<string, number>

  constructor(scripts: SandboxScripts, own: ReadonlyMap<string, number> = new Map()) {
    this.#scripts = scripts
    this.#own = new Map(own)
  }

  async consumeRate(sandbox: string, key: string, limit: number, windowMs: number, now: number): Promise<RateResult> {
    const field = shorten(key, 0) // a hash, since the key has the token of a caller
    const own = this.#countOwn(`windows ${sandbox} ${field}`)
    const lifeMs = Math.ceil(windowMs) + UNUSED_MS
    const args = ['windows', field, MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
    const [before, ends] = await this.#scripts.run(CONSUME_RATE, sandbox, args)
    const left = limit - Number(before) - own
    return { allowed: left > 0, limit, remaining: Math.max(0, left - 1), resetMs: Number(ends) - now }
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const field = shorten(key, MAX_SEQUENCE_KEY)
    const own = this.#countOwn(`sequences ${sandbox} ${field}`)
    const args = ['sequences', field, MAX_SEQUENCES, UNUSED_MS]
    const [before] = await this.#scripts.run(NEXT_SEQUENCE_INDEX, sandbox, args)
    return Number(before) + own
  }

  /** Counts the sequences in Redis, without the steps of a fork. */
  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const listed = await this.#scripts.run(LIST_SEQUENCES, sandbox)
    const pairs = (_: unknown, index: number) => [String(listed[2 * index]), Number(listed[2 * index + 1])] as const
    return new Map(Array.from({ length: listed.length / 2 }, pairs))
  }

  fork(): RedisCounters {
    return new RedisCounters(this.#scripts.fork(), this.#own)
  }

  /** Counts a step of a fork. Returns the number of its earlier ones: 0 where Redis counts them. */
  #countOwn(counter: string): number {
    const before = this.#own.get(counter) ?? 0
    if (this.#scripts.isFork) this.#own.set(counter, before + 1)
    return before
  }
}
