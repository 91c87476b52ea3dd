interface CacheEntry<T> {
  readonly value: T
  /** The number of the latest call of `get` that returned the value. */
  lastUse: number
}

/**
 * A cache that holds the most recently used values, at most `capacity` of them. When it is full, the least recently used eighth
 * is evicted at once, so that the sort costs little per entry.
 */
export class LruCache<T> {
  readonly #capacity: number
  readonly #entries = new Map<string, CacheEntry<T>>()
  #uses = 0

  /** @param capacity the largest number of entries; a cache of 0 stores none */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size
  }

  /** Returns the value of a key; calls `make` and stores its value if the cache has none. */
  get(key: string, make: () => T): T {
    this.#uses += 1
    const entry = this.#entries.get(key)
    if (entry === undefined) return this.#store(key, make())
    entry.lastUse = this.#uses
    return entry.value
  }

  #store(key: string, value: T): T {
    this.#entries.set(key, { value, lastUse: this.#uses })
    if (this.#entries.size > this.#capacity) this.#evict()
    return value
  }

  #evict(): void {
    const oldestFirst = [...this.#entries].sort(([, a], [, b]) => a.lastUse - b.lastUse)
    for (const [key] of oldestFirst.slice(0, Math.max(1, this.#capacity >> 3))) this.#entries.delete(key)
  }
}
