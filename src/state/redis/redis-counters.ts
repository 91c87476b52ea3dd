import type { CounterPort } from '../committer.ts'
import { MAX_RATE_KEY, MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { RateResult } from '../store.ts'
import type { RedisConnection, RedisReply, Script } from './connection.ts'
import { type CounterSource, ForkedCounters } from './forked-counters.ts'
import { sandboxKeys } from './keys.ts'
import type { RateWindowRecord } from './rate-window.ts'
import { CONSUME_RATE, LIST_SEQUENCES, NEXT_SEQUENCE_INDEX } from './scripts.ts'

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which sequences, and rate windows besides the length of a window, are forgotten if they are not used. */
const UNUSED_MS = 24 * 60 * 60 * 1000

const nextScript: Script = { text: NEXT_SEQUENCE_INDEX, keys: 2 }
const rateScript: Script = { text: CONSUME_RATE, keys: 2 }
const listScript: Script = { text: LIST_SEQUENCES, keys: 2 }

/** The counters of all replicas, in Redis: each step is one script. A change of the log discards them in the step that needs it. */
export class RedisCounters implements CounterPort, CounterSource {
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
    const args = [shorten(key, MAX_RATE_KEY), MAX_WINDOWS, lifeMs, limit, now, now + windowMs]
    const reply = await this.#connection.run(rateScript, [windows, windowOrder], args)
    const [allowed, used, ends] = (reply as RedisReply[]).map(Number)
    const remaining = Math.max(0, limit - (used ?? 0))
    return { allowed: allowed === 1, limit, remaining, resetMs: (ends ?? now) - now }
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const { sequences, sequenceOrder } = sandboxKeys(this.#prefix, sandbox)
    const args = [shorten(key, MAX_SEQUENCE_KEY), MAX_SEQUENCES, UNUSED_MS]
    return Number(await this.#connection.run(nextScript, [sequences, sequenceOrder], args))
  }

  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const { sequences, sequenceOrder } = sandboxKeys(this.#prefix, sandbox)
    const reply = await this.#connection.run(listScript, [sequences, sequenceOrder], [])
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
    const stored = await this.#connection.call('hget', windows, shorten(key, MAX_RATE_KEY))
    if (stored === null) return undefined
    const [opened = 0, ends = 0, used = 0] = String(stored).split(' ').map(Number)
    return { opened, ends, used }
  }

  /** Does nothing: the change of the log has discarded the counters in one step with the data. */
  reset(): void {}

  copy(): CounterPort {
    return new ForkedCounters(this)
  }
}
