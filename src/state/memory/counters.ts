import { hash } from 'node:crypto'
import { encodePath } from '../../base/core/seeded.ts'
import type { RateResult } from '../store.ts'

/** A fixed rate limit window. Times are epoch milliseconds. */
interface RateWindow {
  readonly openedAt: number
  readonly endsAt: number
  readonly usedUnits: number
}

/** The maximum number of rate limit windows in the process. At the limit, a new window evicts the oldest. */
const MAX_WINDOWS = 100_000

/** The maximum number of sequences (in Redis, per sandbox). Beyond it, the least recently advanced one is evicted. */
export const MAX_SEQUENCES = 10_000

/** The lengths up to which keys are stored whole. A longer key is truncated, and a hash of the key is appended. */
const MAX_RATE_KEY = 64
export const MAX_SEQUENCE_KEY = 1000

/** The rate limit windows and sequences of all sandboxes. Kept only in memory. */
export class Counters {
  #windows = new Map<string, RateWindow>()
  /** Maps a sandbox and key to the number of times the sequence was advanced; the least recently advanced is first. */
  #sequences = new Map<string, number>()

  copy(): Counters {
    const copy = new Counters()
    copy.#windows = new Map(this.#windows)
    copy.#sequences = new Map(this.#sequences)
    return copy
  }

  reset(sandbox: string): void {
    const start = encodePath([sandbox])
    for (const counters of [this.#windows, this.#sequences])
      for (const name of counters.keys()) if (name.startsWith(start)) counters.delete(name)
  }

  consumeRate(sandbox: string, key: string, limit: number, windowMs: number, now: number): RateResult {
    const name = encodePath([sandbox]) + shorten(key, MAX_RATE_KEY)
    const known = this.#windows.get(name)
    // If the start of the window is in the future, the sandbox's clock was set back, so the window is discarded.
    const isOpen = known !== undefined && known.openedAt <= now && now < known.endsAt
    const window = isOpen ? known : { openedAt: now, endsAt: now + windowMs, usedUnits: 0 }
    const allowed = window.usedUnits < limit
    const usedUnits = window.usedUnits + Number(allowed)
    if (!isOpen) this.#windows.delete(name)
    setBounded(this.#windows, name, { ...window, usedUnits }, MAX_WINDOWS)
    return { allowed, limit, remaining: Math.max(0, limit - usedUnits), resetMs: window.endsAt - now }
  }

  sequenceCounts(sandbox: string): ReadonlyMap<string, number> {
    const start = encodePath([sandbox])
    const own = [...this.#sequences].filter(([name]) => name.startsWith(start))
    return new Map(own.map(([name, count]) => [name.slice(start.length), count]))
  }

  nextSequenceIndex(sandbox: string, key: string): number {
    const name = encodePath([sandbox]) + shorten(key, MAX_SEQUENCE_KEY)
    const index = this.#sequences.get(name) ?? 0
    this.#sequences.delete(name)
    setBounded(this.#sequences, name, index + 1, MAX_SEQUENCES)
    return index
  }
}

/** Sets a value, and evicts the first key if the map then has more than `max` keys. */
function setBounded<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.set(key, value)
  const [first = key] = map.keys()
  if (map.size > max) map.delete(first)
}

/** Shortens a long key, since a client's token or sequence name can be 16 kB long. Different keys stay different. */
export function shorten(key: string, max: number): string {
  if (key.length <= max) return key
  // Copies the slice, since a string slice in V8 retains the whole string.
  const start = Buffer.from(key.slice(0, max)).toString()
  return `${start}… ${hash('sha256', key, 'base64url')}`
}
