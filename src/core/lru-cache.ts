interface Kept<T> {
  readonly value: T
  /** Which call of `get` it was last given out by. */
  lastUse: number
}

/**
 * The latest used values by their keys, no more than `size` of them: one more, and the least recently used go, an
 * eighth of all at once, so that looking for them costs little for each.
 */
export class LruCache<T> {
  readonly #size: number
  readonly #kept = new Map<string, Kept<T>>()
  #uses = 0

  /** 0 remembers nothing. */
  constructor(size: number) {
    this.#size = size
  }

  /** How many are held. */
  get held(): number {
    return this.#kept.size
  }

  /** The value of this key, made now where it is not remembered. */
  get(key: string, make: () => T): T {
    this.#uses += 1
    const known = this.#kept.get(key)
    if (known === undefined) return this.#keep(key, make())
    known.lastUse = this.#uses
    return known.value
  }

  #keep(key: string, value: T): T {
    this.#kept.set(key, { value, lastUse: this.#uses })
    if (this.#kept.size > this.#size) this.#evict()
    return value
  }

  #evict(): void {
    const oldestFirst = [...this.#kept].sort(([, one], [, other]) => one.lastUse - other.lastUse)
    for (const [key] of oldestFirst.slice(0, Math.max(1, this.#size >> 3))) this.#kept.delete(key)
  }
}
