import type { RateResult } from '../store.ts'
import { isOpen, type RateWindowRecord } from './rate-window.ts'

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

/** The counters that a fork begins with. */
export interface CounterSource {
  /** Returns the rate window of a key. Undefined: none was opened. */
  rateWindow(sandbox: string, key: string): Promise<RateWindowRecord | undefined>
  /** Returns the count of a sequence. 0: it was never advanced. */
  sequenceCount(sandbox: string, key: string): Promise<number>
  sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>>
}

/** Counters that begin with those in Redis and advance in memory only. */
export class ForkedCounters implements SandboxCounters {
  readonly #origin: CounterSource
  readonly #sequences = new Map<string, number>()
  readonly #windows = new Map<string, RateWindowRecord>()
  readonly #discarded = new Set<string>()

  constructor(origin: CounterSource) {
    this.#origin = origin
  }

  async consumeRate(
    sandbox: string,
    key: string,
    limit: number,
    windowMs: number,
    now: number,
  ): Promise<RateResult> {
    const name = JSON.stringify([sandbox, key])
    const known = this.#windows.get(name) ?? (await this.#storedWindow(sandbox, key))
    const open = known !== undefined && isOpen(known, now) ? known : undefined
    const { opened, ends, used } = open ?? { opened: now, ends: now + windowMs, used: 0 }
    const allowed = used < limit
    this.#windows.set(name, { opened, ends, used: allowed ? used + 1 : used })
    return { allowed, limit, remaining: Math.max(0, limit - used - (allowed ? 1 : 0)), resetMs: ends - now }
  }

  async #storedWindow(sandbox: string, key: string): Promise<RateWindowRecord | undefined> {
    return this.#discarded.has(sandbox) ? undefined : this.#origin.rateWindow(sandbox, key)
  }

  async nextSequenceIndex(sandbox: string, key: string): Promise<number> {
    const name = JSON.stringify([sandbox, key])
    const index = this.#sequences.get(name) ?? (await this.#storedCount(sandbox, key))
    this.#sequences.set(name, index + 1)
    return index
  }

  async #storedCount(sandbox: string, key: string): Promise<number> {
    return this.#discarded.has(sandbox) ? 0 : this.#origin.sequenceCount(sandbox, key)
  }

  async sequenceCounts(sandbox: string): Promise<ReadonlyMap<string, number>> {
    const counts = new Map(this.#discarded.has(sandbox) ? [] : await this.#origin.sequenceCounts(sandbox))
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
