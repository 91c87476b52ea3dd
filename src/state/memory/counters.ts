import type { RateResult } from '../store.ts'

interface Window {
  readonly opened: number
  readonly ends: number
  taken: number
}

/** Keys are texts that a client chooses: beyond so many the one that was stepped longest ago is forgotten. */
const MOST_STEPS = 10_000

/** Rate windows and sequences of one sandbox: what is counted while the process runs, and never kept. */
export class Counters {
  readonly #windows = new Map<string, Window>()
  readonly #steps = new Map<string, number>()
  /** At this many windows the ended ones are swept out; doubles with those that stay, so that sweeping stays cheap. */
  #sweepAt = 1000

  /** Counts on from here by itself. */
  copy(): Counters {
    const copy = new Counters()
    for (const [key, window] of this.#windows) copy.#windows.set(key, { ...window })
    for (const [key, steps] of this.#steps) copy.#steps.set(key, steps)
    copy.#sweepAt = this.#sweepAt
    return copy
  }

  consumeRate(key: string, limit: number, windowMs: number, now: number): RateResult {
    const window = this.#open(key, windowMs, now)
    const allowed = window.taken < limit
    if (allowed) window.taken += 1
    return { allowed, limit, remaining: Math.max(0, limit - window.taken), resetMs: window.ends - now }
  }

  /** A sandbox's clock can be set back: a window that has not begun yet is as closed as one that has ended. */
  #open(key: string, windowMs: number, now: number): Window {
    const known = this.#windows.get(key)
    if (known !== undefined && known.opened <= now && now < known.ends) return known
    if (this.#windows.size >= this.#sweepAt) this.#sweep(now)
    const opened = { opened: now, ends: now + windowMs, taken: 0 }
    this.#windows.set(key, opened)
    return opened
  }

  #sweep(now: number): void {
    for (const [key, window] of this.#windows) {
      if (now < window.opened || now >= window.ends) this.#windows.delete(key)
    }
    this.#sweepAt = Math.max(1000, this.#windows.size * 2)
  }

  #forgetOldest(): void {
    for (const oldest of this.#steps.keys()) {
      this.#steps.delete(oldest)
      return
    }
  }

  sequenceCounts(): ReadonlyMap<string, number> {
    return new Map(this.#steps)
  }

  nextSequenceIndex(key: string): number {
    const before = this.#steps.get(key) ?? 0
    this.#steps.delete(key) // so that it becomes the last one, the one stepped most lately
    if (this.#steps.size >= MOST_STEPS) this.#forgetOldest()
    this.#steps.set(key, before + 1)
    return before
  }
}
