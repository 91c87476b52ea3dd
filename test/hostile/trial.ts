/** What the trials share: chance, numbers, and the built command. */
/** The command that is tried. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** Counts of what was tried and how it ended, and peaks, by name, in the order of their first use. */
export class Numbers {
  readonly #counts = new Map<string, number>()
  faults = 0

  add(name: string, count = 1): void {
    this.#counts.set(name, this.count(name) + count)
  }

  /** Sets a number to the largest value that it has had. */
  peak(name: string, value: number): void {
    this.#counts.set(name, Math.max(this.count(name), Math.round(value)))
  }

  /** Returns a count or peak, by default 0. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Records what must not happen: an acknowledged write that is lost, or data that changed silently. */
  fault(description: string): void {
    this.faults += 1
    console.log(`FAULT: ${description}`)
  }

  line(): string {
    return [...this.#counts, ['FAULTS', this.faults]].map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** A kind of attack, which is repeated. */
export abstract class Trial {
  protected readonly chance: () => number
  protected readonly numbers: Numbers

  /** `chance` returns a number from 0 to 1. */
  constructor(chance: () => number, numbers: Numbers) {
    this.chance = chance
    this.numbers = numbers
  }

  /** Starts what is attacked in all rounds. */
  async start(): Promise<void> {}

  /** Runs one round. */
  abstract run(kind?: string): Promise<void>

  close(): void | Promise<void> {}

  protected pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.chance() * items.length)] as Item // a place in the list
  }
}
