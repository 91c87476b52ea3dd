/** The path of the command under test. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** Counts and peak values by name, in the order of first use. */
export class Numbers {
  readonly #values = new Map<string, number>()
  failures = 0

  add(name: string): void {
    this.#values.set(name, this.get(name) + 1)
  }

  /** Sets the peak with this name to the rounded `value` if that is larger. */
  recordPeak(name: string, value: number): void {
    this.#values.set(name, Math.max(this.get(name), Math.round(value)))
  }

  /** Returns the count or the peak with this name, or 0 if there is none. */
  get(name: string): number {
    return this.#values.get(name) ?? 0
  }

  /** Counts and prints a failure, such as a lost acknowledged write or a long stall. */
  fail(description: string): void {
    this.failures += 1
    console.log(`FAILURE: ${description}`)
  }

  toLine(): string {
    return [...this.#values, ['FAILURES', this.failures]].map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** A function that returns a random number that is at least 0 and less than 1. */
export type Chance = () => number

export const pick = <Item>(chance: Chance, items: readonly Item[]): Item =>
  items[Math.floor(chance() * items.length)] as Item // the index is valid
