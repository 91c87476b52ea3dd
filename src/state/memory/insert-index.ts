/** Returns the FNV-1a hash, 32 bits, of an `insertId`'s UTF-16 code units. */
export function hashInsertId(insertId: string): number {
  let hash = 0x811c9dc5 | 0 // signed, as the rows of `Marks` are
  for (let at = 0; at < insertId.length; at += 1) hash = Math.imul(hash ^ insertId.charCodeAt(at), 0x01000193)
  return hash
}

/** The number of slots is always a power of two. */
const MIN_SLOTS = 64

/**
 * A hash table, outside the heap and at most half full, from `insertId` to the event's position in its list. The table stores
 * positions only, so callers must compare the event that they find: two `insertId`s can have the same hash.
 */
export class InsertIndex {
  readonly #hashAt: (position: number) => number | undefined
  /** Each position plus 1, in the first slot from its hash on that was free. 0: the slot is free. */
  #slots = new Int32Array(MIN_SLOTS)
  #size = 0

  /** `hashAt` returns the hash of the `insertId` of the event at a position. Undefined: the event has none. */
  constructor(hashAt: (position: number) => number | undefined) {
    this.#hashAt = hashAt
  }

  /** Adds the event at a position behind all positions in the index. */
  add(position: number): void {
    const hash = this.#hashAt(position)
    if (hash === undefined) return
    if (this.#size * 2 >= this.#slots.length) this.#grow(position)
    this.#put(hash, position)
  }

  /** Yields the positions of the events whose `insertId` has this hash. */
  *candidates(hash: number): Generator<number> {
    for (let slot = this.#slotOf(hash); this.#slots[slot]; slot = this.#slotOf(slot + 1)) {
      const position = (this.#slots[slot] ?? 0) - 1
      if (this.#hashAt(position) === hash) yield position
    }
  }

  /** Removes the event at the last position. The slots of other positions may be needed to find later ones. */
  removeLast(position: number): void {
    const hash = this.#hashAt(position)
    if (hash === undefined) return
    let slot = this.#slotOf(hash)
    while (this.#slots[slot] !== position + 1) {
      if (!this.#slots[slot]) throw new Error(`the event at ${position} is not in the index`)
      slot = this.#slotOf(slot + 1)
    }
    this.#slots[slot] = 0
    this.#size -= 1
  }

  #put(hash: number, position: number): void {
    let slot = this.#slotOf(hash)
    while (this.#slots[slot]) slot = this.#slotOf(slot + 1)
    this.#slots[slot] = position + 1
    this.#size += 1
  }

  /** Doubles the slots and fills them in the order of positions, so that no search passes the slot of the last position. */
  #grow(end: number): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    this.#size = 0
    for (let position = 0; position < end; position += 1) {
      const hash = this.#hashAt(position)
      if (hash !== undefined) this.#put(hash, position)
    }
  }

  #slotOf(hash: number): number {
    return hash & (this.#slots.length - 1)
  }
}
