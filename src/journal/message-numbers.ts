/** The numbers of the messages of each process that a reader has seen. Each process counts its messages from 1. */
export class MessageNumbers {
  /** The number of the last message of each process. */
  readonly #last = new Map<string, number>()
  /** The processes that were heard since messages were missed; undefined: none were missed. */
  #heardSinceCut: Set<string> | undefined

  /** Notes that messages of unknown processes were missed, so the next gap of each is no further loss. */
  cut(): void {
    this.#heardSinceCut = new Set()
  }

  /** Adds a message. Returns `again` if it was seen before, and `gap` if messages before it were lost. */
  add(from: string, number: number): 'next' | 'again' | 'gap' {
    const last = this.#last.get(from) ?? 0
    if (number <= last) return 'again'
    const isGapKnown = this.#heardSinceCut?.has(from) === false
    this.#heardSinceCut?.add(from)
    this.#last.set(from, number)
    return number === last + 1 || isGapKnown ? 'next' : 'gap'
  }
}
