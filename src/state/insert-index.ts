/** FNV-1a, 32 bits, over the UTF-16 code units of what a caller named an event by. */
export function hashOfName(name: string): number {
  let hash = 0x811c9dc5 | 0 // signed, as it is kept in a row
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash
}

/**
 * Where the events of a list stand that their callers gave a name. It holds hashes instead of names, of which there are as many as
 * events: what is found has to be looked at, since another name may have the same hash.
 */
export class InsertIndex {
  /** The place of the event by the hash of its name; where that is taken, by the next number that is free. */
  readonly #places = new Map<number, number>()

  add(hash: number, place: number): void {
    let key = hash
    while (this.#places.has(key)) key += 1
    this.#places.set(key, place)
  }

  /** The places of the events whose names may have this hash. */
  *candidates(hash: number): Generator<number> {
    for (let key = hash; ; key += 1) {
      const place = this.#places.get(key)
      if (place === undefined) return
      yield place
    }
  }

  /** Takes out the one that was added last, if it was: any other may stand in the way to a later one. */
  removeLast(hash: number, place: number): void {
    let key = hash
    while (this.#places.has(key) && this.#places.get(key) !== place) key += 1
    this.#places.delete(key)
  }
}
