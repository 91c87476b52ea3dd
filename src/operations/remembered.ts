/** The latest used values by their keys, no more than `size` of them: one more, and the one that nobody asked for longest goes. */
export class Remembered<T> {
  readonly #size: number
  /** The latest used one last. */
  readonly #values = new Map<string, T>()

  /** 0 remembers nothing. */
  constructor(size: number) {
    this.#size = size
  }

  /** How many are held. */
  get held(): number {
    return this.#values.size
  }

  /** The value of this key, made now where it is not remembered. */
  get(key: string, make: () => T): T {
    const known = this.#values.get(key)
    if (known !== undefined) this.#values.delete(key)
    const value = known ?? make()
    this.#values.set(key, value)
    if (this.#values.size > this.#size) this.#letGo()
    return value
  }

  #letGo(): void {
    const [oldest] = this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}
