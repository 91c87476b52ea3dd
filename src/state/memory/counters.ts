import type { RateResult } from '../store.ts'

/** A fixed rate window. Times are epoch milliseconds. */
interface RateWindow {
  readonly opened: number
  readonly ends: number
  used: number
}

/** The largest number of sequences. Clients choose the keys; one more evicts the sequence that was advanced longest ago. */
const MAX_SEQUENCES = 10_000

/** The rate windows and sequences of one sandbox. They are never stored, so a restart discards them. */
export class Counters {
  readonly #windows = new Map<string, RateWindow>()
  /** The number of times that each sequence was advanced, by key. The last key was advanced last. */
  readonly #sequences = new Map<string, number>()
  /** The number of windows from which on closed ones are evicted: twice those that stayed, so that eviction stays cheap. */
  #evictFrom = 1000

  /** Returns a copy that advances apart from this one. */
  copy(): Counters {
    const copy = new Counters()
    for (const [key, window] of this.#windows) copy.#windows.set(key, { ...window })
    for (const [key, count] of this.#sequences) copy.#sequences.set(key, count)
    copy.#evictFrom = this.#evictFrom
    return copy
  }

  consumeRate(key: string, limit: number, windowMs: number, now: number): RateResult {
    const window = this.#openWindow(key, windowMs, now)
    const allowed = window.used < limit
    if (allowed) window.used += 1
    return { allowed, limit, remaining: Math.max(0, limit - window.used), resetMs: window.ends - now }
  }

  /** Returns the open window. A window that begins in the future is closed, too: a sandbox's clock can be set back. */
  #openWindow(key: string, windowMs: number, now: number): RateWindow {
    const known = this.#windows.get(key)
    if (known !== undefined && known.opened <= now && now < known.ends) return known
    if (this.#windows.size >= this.#evictFrom) this.#evictClosedWindows(now)
    const window = { opened: now, ends: now + windowMs, used: 0 }
    this.#windows.set(key, window)
    return window
  }

  #evictClosedWindows(now: number): void {
    for (const [key, window] of this.#windows) {
      if (now < window.opened || now >= window.ends) this.#windows.delete(key)
    }
    this.#evictFrom = Math.max(1000, this.#windows.size * 2)
  }

  #evictOldestSequence(): void {
    for (const oldest of this.#sequences.keys()) {
      this.#sequences.delete(oldest)
      return
    }
  }

  sequenceCounts(): ReadonlyMap<string, number> {
    return new Map(this.#sequences)
  }

  nextSequenceIndex(key: string): number {
    const index = this.#sequences.get(key) ?? 0
    this.#sequences.delete(key) // so that the key becomes the last
    if (this.#sequences.size >= MAX_SEQUENCES) this.#evictOldestSequence()
    this.#sequences.set(key, index + 1)
    return index
  }
}
