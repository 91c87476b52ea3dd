/** The command under test. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** Counts of attempts and outcomes, and peaks, by name, in order of first use. */
export class Numbers {
  readonly #counts = new Map<string, number>()
  faults = 0

  add(name: string): void {
    this.#counts.set(name, this.count(name) + 1)
  }

  /** Raises a number to a value if that is larger. */
  peak(name: string, value: number): void {
    this.#counts.set(name, Math.max(this.count(name), Math.round(value)))
  }

  /** Returns a count or peak, by default 0. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Records a fault: a lost acknowledged write, or data that changed silently. */
  fault(description: string): void {
    this.faults += 1
    console.log(`FAULT: ${description}`)
  }

  line(): string {
    return [...this.#counts, ['FAULTS', this.faults]].map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** A generator of numbers from 0 to 1. */
export type Chance = () => number

export const pick = <Item>(chance: Chance, items: readonly Item[]): Item =>
  items[Math.floor(chance() * items.length)] as Item // a valid index
