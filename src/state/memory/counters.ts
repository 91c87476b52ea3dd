import { hash } from 'node:crypto'
import type { RateResult } from '../store.ts'

/** A fixed rate window of a sandbox. Times are epoch milliseconds. */
interface RateWindow {
  readonly owner: string
  readonly opened: number
  readonly ends: number
  used: number
}

/** The most rate windows of the process, whose keys clients choose. The one that was opened first is evicted. */
const MAX_WINDOWS = 100_000

/** The largest number of sequences of the process; one more evicts the sequence that was advanced longest ago. */
export const MAX_SEQUENCES = 10_000

/** The characters of a key that are stored; of a longer one a hash of the whole follows. */
const MAX_RATE_KEY = 64
export const MAX_SEQUENCE_KEY = 1000

/** The rate windows and sequences of all sandboxes, under one bound. They are not stored. */
export class Counters {
  /** The beginning of the keys of each sandbox. A reset gives another one; the old entries are evicted first. */
  readonly #owners = new Map<string, string>()
  #lastOwner = 0
  readonly #windows = new Map<string, RateWindow>()
  /** The number of times that each sequence was advanced, by key. The last key was advanced last. */
  readonly #sequences = new Map<string, number>()
  /** The number of windows from which on ended ones are evicted: twice those that stayed. */
  #evictFrom = 1000

  /** Returns a copy that advances apart from this one. */
  copy(): Counters {
    const copy = new Counters()
    for (const [sandbox, owner] of this.#owners) copy.#owners.set(sandbox, owner)
    for (const [key, window] of this.#windows) copy.#windows.set(key, { ...window })
    for (const [key, count] of this.#sequences) copy.#sequences.set(key, count)
    copy.#lastOwner = this.#lastOwner
    copy.#evictFrom = this.#evictFrom
    return copy
  }

  /** Discards the windows and sequences of a sandbox. */
  reset(sandbox: string): void {
    this.#owners.delete(sandbox)
  }

  consumeRate(sandbox: string, key: string, limit: number, windowMs: number, now: number): RateResult {
    const window = this.#openWindow(this.#ownerOf(sandbox), shorten(key, MAX_RATE_KEY), windowMs, now)
    const allowed = window.used < limit
    if (allowed) window.used += 1
    return { allowed, limit, remaining: Math.max(0, limit - window.used), resetMs: window.ends - now }
  }

  #openWindow(owner: string, key: string, windowMs: number, now: number): RateWindow {
    const known = this.#windows.get(owner + key)
    if (known !== undefined && isOpen(known, now)) return known
    this.#windows.delete(owner + key) // so that the key becomes the last
    if (this.#windows.size >= this.#evictFrom) this.#evictEndedWindows(owner, now)
    if (this.#windows.size >= MAX_WINDOWS) deleteFirst(this.#windows)
    const window = { owner, opened: now, ends: now + windowMs, used: 0 }
    this.#windows.set(owner + key, window)
    return window
  }

  /** Evicts the ended windows of one sandbox, since each has a clock of its own, and those of reset sandboxes. */
  #evictEndedWindows(owner: string, now: number): void {
    const owners = new Set(this.#owners.values())
    for (const [key, window] of this.#windows) {
      if (!owners.has(window.owner) || (window.owner === owner && !isOpen(window, now))) this.#windows.delete(key)
    }
    this.#evictFrom = Math.max(1000, this.#windows.size * 2)
  }

  sequenceCounts(sandbox: string): ReadonlyMap<string, number> {
    const owner = this.#owners.get(sandbox)
    if (owner === undefined) return new Map()
    const own = [...this.#sequences].filter(([key]) => key.startsWith(owner))
    return new Map(own.map(([key, count]) => [key.slice(owner.length), count]))
  }

  nextSequenceIndex(sandbox: string, key: string): number {
    const stored = this.#ownerOf(sandbox) + shorten(key, MAX_SEQUENCE_KEY)
    const index = this.#sequences.get(stored) ?? 0
    this.#sequences.delete(stored) // so that the key becomes the last
    if (this.#sequences.size >= MAX_SEQUENCES) deleteFirst(this.#sequences)
    this.#sequences.set(stored, index + 1)
    return index
  }

  #ownerOf(sandbox: string): string {
    const owner = this.#owners.get(sandbox) ?? `${++this.#lastOwner} `
    this.#owners.set(sandbox, owner)
    return owner
  }
}

/** Returns true for an open window. One that begins in the future has ended: a sandbox's clock can be set back. */
function isOpen({ opened, ends }: RateWindow, now: number): boolean {
  return opened <= now && now < ends
}

/** Shortens a key that a client chose: a token or a sequence may have 16 kB. Equal only for equal keys. */
export function shorten(key: string, max: number): string {
  if (key.length <= max) return key
  // A copy, since V8's slice of a text holds the whole text.
  const start = Buffer.from(key.slice(0, max)).toString()
  return `${start}… ${hash('sha256', key, 'base64url')}`
}

function deleteFirst(map: Map<string, unknown>): void {
  const [first = ''] = map.keys()
  map.delete(first)
}
