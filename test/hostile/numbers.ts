/** Counts of what was tried and how it ended, and peaks, by name, in the order of their first use. */
export class Numbers {
  readonly #counts = new Map<string, number>()
  readonly #faults: string[] = []

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

  /** Records what must not happen: an acknowledged write that is lost, or data that changed without a word. */
  fault(description: string): void {
    this.#faults.push(description)
    console.log(`FAULT: ${description}`)
  }

  get faults(): number {
    return this.#faults.length
  }

  line(): string {
    const counts = [...this.#counts].map(([name, count]) => `${name} ${count}`)
    return [...counts, `FAULTS ${this.faults}`].join(', ')
  }

  table(): string {
    const width = Math.max(...[...this.#counts.keys()].map(({ length }) => length), 6)
    const rows = [...this.#counts, ['FAULTS', this.faults] as const]
    return rows.map(([name, count]) => `${name.padEnd(width)}  ${String(count).padStart(9)}`).join('\n')
  }
}
