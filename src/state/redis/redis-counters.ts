import { MAX_SEQUENCE_KEY, MAX_SEQUENCES, shorten } from '../memory/counters.ts'
import type { RateResult } from '../store.ts'
import type { RedisConnection, RedisReply } from './connection.ts'
import { sandboxKeys } from './keys.ts'
import {
  CONSUME_RATE,
  isOpen,
  LIST_SEQUENCES,
  NEXT_SEQUENCE_INDEX,
  type RateWindowRecord,
} from './lua/counter-scripts.ts'

/** Returns the field of a rate window: a hash, since the key has the token of a caller. */
const rateField = (key: string) => shorten(key, 0)

/** The largest number of rate windows of a sandbox; one more evicts the window that was opened first. */
const MAX_WINDOWS = 10_000

/** The milliseconds after which unused sequences, and rate windows besides their length, are forgotten. */
const UNUSED_MS = 24 * 60 * 60 * 1000

/** The counters of all replicas: each step is one script, and replacing a sandbox's data discards them. */
export class RedisCounters implements SandboxCounters {
  readonly #connection: RedisConnection
  readonly #prefix: string

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#prefix = prefix
  }

  readonly consumeRate: SandboxCounters['consumeRate'] = async (sandbox, key, limit, windowMs, now) => {
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

  /** Returns the count of a sequence. 0: it was never advanced. */
  async sequenceCount(sandbox: string, key: string): Promise<number> {
    const { sequences } = sandboxKeys(this.#prefix, sandbox)
    return Number((await this.#connection.call('hget', sequences, shorten(key, MAX_SEQUENCE_KEY))) ?? 0)
  }

  /** Returns the rate window of a key, or undefined if none was opened. */
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

/** Rate windows and sequences. `Store` describes the methods. */
export interface SandboxCounters {
  consumeRate(sandbox: string, key: string, limit: number, windowMs: number, now: number): Promise<RateResult>
  nextSequenceIndex(sandbox: string, key: string): Promise<number>
  sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>>
  /** Discards the counters of a sandbox whose data were replaced. */
  discard(sandbox: string): void
  /** Returns counters that continue from these and advance apart from them. */
  fork(): SandboxCounters
}

/** Counters that begin with those in Redis and advance in memory only. */
class ForkedCounters implements SandboxCounters {
  readonly #counters: RedisCounters
  readonly #sequences = new Map<string, number>()
  readonly #windows = new Map<string, RateWindowRecord>()
  readonly #discarded = new Set<string>()

  constructor(counters: RedisCounters) {
    this.#counters = counters
  }

  /** Returns the counters in Redis; undefined: those of the sandbox are discarded. */
  #origin(sandbox: string): RedisCounters | undefined {
    return this.#discarded.has(sandbox) ? undefined : this.#counters
  }

  readonly consumeRate: SandboxCounters['consumeRate'] = async (sandbox, key, limit, windowMs, now) => {
    const name = JSON.stringify([sandbox, key])
    const known = this.#windows.get(name) ?? (await this.#origin(sandbox)?.rateWindow(sandbox, key))
    const open = known !== undefined && isOpen(known, now) ? known : undefined
    const { opened, ends, used } = open ?? { opened: now, ends: now + windowMs, used: 0 }
    const allowed = used < limit
    this.#windows.set(name, { opened, ends, used: allowed ? used + 1 : used })
    return { allowed, limit, remaining: Math.max(0, limit - used - (allowed ? 1 : 0)), resetMs: ends - now }
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const name = JSON.stringify([sandbox, key])
    const index = this.#sequences.get(name) ?? (await this.#origin(sandbox)?.sequenceCount(sandbox, key)) ?? 0
    this.#sequences.set(name, index + 1)
    return index
  }

  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const counts = new Map(await this.#origin(sandbox)?.sequenceCounts(sandbox))
    for (const [name, count] of this.#sequences) {
      const [owner, key]: [string, string] = JSON.parse(name) // written by this class
      if (owner === sandbox) counts.set(key, count)
    }
    return counts
  }

  discard(sandbox: string): void {
    this.#discarded.add(sandbox)
    for (const counts of [this.#sequences, this.#windows])
      for (const name of [...counts.keys()]) if (JSON.parse(name)[0] === sandbox) counts.delete(name)
  }

  fork(): SandboxCounters {
    throw new Error('a fork has no forks')
  }
}
