/** The largest number of names that a process remembers. */
const MAX_NAMES = 10_000

/** The names of messages that were appended once. Redis forgets a name some time after it was last prolonged. */
export class AppendedNames implements Iterable<string> {
  readonly #names = new Set<string>()
  #toProlong = this.#names.values()

  /** Adds a name; the oldest is forgotten where there are too many. */
  add(name: string): void {
    this.#names.add(name)
    const [oldest] = this.#names
    if (oldest !== undefined && this.#names.size > MAX_NAMES) this.#names.delete(oldest)
  }

  /** Returns the name to prolong next: each in turn. Undefined: there is none. */
  next(): string | undefined {
    const { value, done } = this.#toProlong.next()
    if (!done) return value
    this.#toProlong = this.#names.values()
    return this.#toProlong.next().value
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#names.values()
  }
}
