/** FNV-1a, 32 bits, over the UTF-16 code units of what a caller named an event by. */
export function hashOfName(name: string): number {
  let hash = 0x811c9dc5 | 0 // signed, as it is kept in a row
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash
}

/** A power of two, as every number of slots is. */
const fewestSlots = 64

/**
 * Where the events of a list stand that their callers gave a name: a hash table outside the engine's heap, at most half full. It
 * holds places alone, so what is found has to be looked at: another name may have the same hash.
 */
export class InsertIndex {
  readonly #hashAt: (place: number) => number | undefined
  /** Each place, and one more, in the first slot from its hash on that was free; 0: free. */
  #slots = new Int32Array(fewestSlots)
  #held = 0

  /** `hashAt`: the hash of the name of the event at a place; undefined where it has none. */
  constructor(hashAt: (place: number) => number | undefined) {
    this.#hashAt = hashAt
  }

  /** Takes in the event at this place, which comes behind all that are in it. */
  add(place: number): void {
    const hash = this.#hashAt(place)
    if (hash === undefined) return
    if (this.#held * 2 >= this.#slots.length) this.#grow(place)
    this.#put(hash, place)
  }

  /** The places of the events whose names have this hash. */
  *candidates(hash: number): Generator<number> {
    for (let slot = this.#slotOf(hash); this.#slots[slot]; slot = this.#slotOf(slot + 1)) {
      const place = (this.#slots[slot] ?? 0) - 1
      if (this.#hashAt(place) === hash) yield place
    }
  }

  /** Takes the event at the last place out again: to find any other one, somebody may have to pass its slot. */
  removeLast(place: number): void {
    const hash = this.#hashAt(place)
    if (hash === undefined) return
    let slot = this.#slotOf(hash)
    while (this.#slots[slot] !== place + 1) {
      if (!this.#slots[slot]) throw new Error(`the event at ${place} is not in the index`)
      slot = this.#slotOf(slot + 1)
    }
    this.#slots[slot] = 0
    this.#held -= 1
  }

  #put(hash: number, place: number): void {
    let slot = this.#slotOf(hash)
    while (this.#slots[slot]) slot = this.#slotOf(slot + 1)
    this.#slots[slot] = place + 1
    this.#held += 1
  }

  /** Twice as many slots, and what was in them in the order of the places, so that the last one is in nobody's way. */
  #grow(end: number): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    this.#held = 0
    for (let place = 0; place < end; place += 1) {
      const hash = this.#hashAt(place)
      if (hash !== undefined) this.#put(hash, place)
    }
  }

  #slotOf(hash: number): number {
    return hash & (this.#slots.length - 1)
  }
}
