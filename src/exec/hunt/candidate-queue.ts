import type { Candidate } from './candidate.ts'

/** A candidate with its number among the drawn ones, from 1. */
export interface NumberedCandidate {
  readonly number: number
  readonly candidate: Candidate
}

/** A candidate that broke the suite, and its run. */
export interface BrokenCandidate<Run> extends NumberedCandidate {
  readonly ended: Run
}

/**
 * The candidates of a hunt in the order in which they were drawn: those to run, and those that broke the suite and are to be confirmed.
 * Each leaves the queue by a run alone, so runs side by side find the same as runs one after the other.
 */
export class CandidateQueue<Run> {
  readonly #drawn: Iterator<Candidate, undefined>
  readonly #maxRuns: number
  /** The candidates that were drawn and not run, sorted by number. */
  #waiting: readonly NumberedCandidate[] = []
  /** Sorted by number. */
  #broken: readonly BrokenCandidate<Run>[] = []
  #count = 0
  #isExhausted = false

  /** `maxRuns`: the largest number of candidates; `Infinity` for no bound. */
  constructor(drawn: Iterable<Candidate, undefined>, maxRuns: number) {
    this.#drawn = drawn[Symbol.iterator]()
    this.#maxRuns = maxRuns
  }

  /** Takes candidates to run, until there is none or one that was drawn before has broken the suite. */
  *take(): Generator<NumberedCandidate, undefined> {
    for (;;) {
      this.#drawNext()
      const [next] = this.#waiting
      if (!next || this.isAfterBroken(next)) return undefined
      this.#waiting = this.#waiting.slice(1)
      yield next
    }
  }

  /** Returns true where a candidate that was drawn before has broken the suite, so that this one can wait. */
  isAfterBroken({ number }: NumberedCandidate): boolean {
    const [first] = this.#broken
    return first !== undefined && first.number < number
  }

  /** Stores a candidate that was taken and not run. */
  putBack(candidate: NumberedCandidate): void {
    this.#waiting = sort([...this.#waiting, candidate])
  }

  /** Stores a candidate that broke the suite. */
  addBroken(broken: BrokenCandidate<Run>): void {
    this.#broken = sort([...this.#broken, broken])
  }

  /** Takes the first candidate that broke the suite; undefined: there is none. */
  takeBroken(): BrokenCandidate<Run> | undefined {
    const [first, ...others] = this.#broken
    this.#broken = others
    return first
  }

  /** Returns the reason why no candidate is left to run; undefined: there is one. */
  findEnd(): 'max-runs' | 'exhausted' | undefined {
    this.#drawNext()
    if (this.#waiting.length > 0) return undefined
    return this.#isExhausted ? 'exhausted' : 'max-runs'
  }

  /** Draws a candidate if none waits. */
  #drawNext(): void {
    if (this.#waiting.length > 0 || this.#count >= this.#maxRuns) return
    const candidate = this.#drawn.next().value
    if (!candidate) this.#isExhausted = true
    else {
      this.#count += 1
      this.putBack({ number: this.#count, candidate })
    }
  }
}

const sort = <T extends NumberedCandidate>(candidates: readonly T[]) =>
  [...candidates].sort((one, other) => one.number - other.number)
