import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { RateResult } from '../store.ts'
import type { RedisConnection, RedisReply } from './connection.ts'
import { type CounterSource, ForkedCounters, type SandboxCounters } from './forked-counters.ts'
import { sandboxKeys } from './keys.ts'
import { CONSUME_RATE, LIST_SEQUENCES, NEXT_SEQUENCE_INDEX } from './lua/counter-scripts.ts'
import type { RateWindowRecord } from './rate-window.ts'

/** Returns the field of a rate window: a hash, since the key has the token of a caller. */
const rateField = (key: string) => shorten(key, 0)

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/**
 * The milliseconds after which sequences, and rate windows besides the length of a window, are forgotten if they are
 * not used.
 */
const UNUSED_MS = 24 * 60 * 60 * 1000

/**
 * The counters of all replicas, in Redis: each step is one script. The scripts that replace a sandbox's data discard
 * them.
 */
export class RedisCounters implements SandboxCounters, CounterSource {
  readonly #connection: RedisConnection
  readonly #prefix: string

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#prefix = prefix
  }

  async consumeRate(
    sandbox: string,
    key: string,
    limit: number,
    windowMs: number,
    now: number,
  ): Promise<RateResult> {
    const { windows, windowOrder } = sandboxKeys(this.#prefix, sandbox)
    const lifeMs = Math.ceil(windowMs) + UNUSED_MS
    const args = [rateField(key), MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
    const reply = await this.#connection.run(CONSUME_RATE, [windows, windowOrder], args)
    const [outcome, used, ends] = reply as RedisReply[] // the script returns these
    const remaining = Math.max(0, limit - Number(used))
    return { allowed: outcome === 'allowed', limit, remaining, resetMs: Number(ends) - now }
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const { sequences, sequenceOrder } = sandboxKeys(this.#prefix, sandbox)
    const args = [shorten(key, MAX_SEQUENCE_KEY), MAX_SEQUENCES, UNUSED_MS]
    return Number(await this.#connection.run(NEXT_SEQUENCE_INDEX, [sequences, sequenceOrder], args))
  }

  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const { sequences, sequenceOrder } = sandboxKeys(this.#prefix, sandbox)
    const reply = await this.#connection.run(LIST_SEQUENCES, [sequences, sequenceOrder], [])
    const listed = (reply as RedisReply[]).map(String)
    const counts = new Map<string, number>()
    for (let at = 0; at < listed.length; at += 2) counts.set(listed[at] ?? '', Number(listed[at + 1]))
    return counts
  }

  async sequenceCount(sandbox: string, key: string): Promise<number> {
    const { sequences } = sandboxKeys(this.#prefix, sandbox)
    return Number((await this.#connection.call('hget', sequences, shorten(key, MAX_SEQUENCE_KEY))) ?? 0)
  }

  async rateWindow(sandbox: string, key: string): Promise<RateWindowRecord | undefined> {
    const { windows } = sandboxKeys(this.#prefix, sandbox)
    const stored = await this.#connection.call('hget', windows, rateField(key))
    if (stored === null) return undefined
    const [opened = 0, ends = 0, used = 0] = String(stored).split(' ').map(Number)
    return { opened, ends, used }
  }

  /** Does nothing: the script that replaced the data has discarded the counters with them. */
  discard(): void {}

  fork(): SandboxCounters {
    return new ForkedCounters(this)
  }
}
