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
 * The candidates of a hunt in the order of drawing: those to run, and those that broke the suite and are to be
 * confirmed. Each leaves the queue by a run alone, so runs side by side find the same as runs one after the other.
 */
export class CandidateQueue<Run> {
  readonly #drawn: Iterator<Candidate, undefined>
  readonly #maxRuns: number
  /** The candidates that were drawn and not run, in their order. */
  readonly #waiting = new Set<NumberedCandidate>()
  #broken: readonly BrokenCandidate<Run>[] = []
  #count = 0

  /** `maxRuns`: the largest number of candidates; default: no bound. */
  constructor(drawn: Iterator<Candidate, undefined>, maxRuns = Number.POSITIVE_INFINITY) {
    this.#drawn = drawn
    this.#maxRuns = maxRuns
  }

  /** Yields the candidates to run, until there is none or one that was drawn before has broken the suite. */
  *take(): Generator<NumberedCandidate, undefined> {
    for (const next of this.#waiting) {
      if (this.isAfterBroken(next)) return undefined
      yield next
    }
    while (this.#broken.length === 0) {
      const next = this.#draw()
      if (!next) return undefined
      yield next
    }
    return undefined
  }

  /** Returns true where a candidate that was drawn before has broken the suite, so that this one can wait. */
  isAfterBroken({ number }: NumberedCandidate): boolean {
    const [first] = this.#broken
    return first !== undefined && first.number < number
  }

  /** Removes a candidate that has run. `broken`: its run if it broke the suite, so that it is to be confirmed. */
  finish(candidate: NumberedCandidate, broken: Run | undefined): void {
    this.#waiting.delete(candidate)
    if (broken === undefined) return
    const all = [...this.#broken, { ...candidate, ended: broken }]
    this.#broken = all.sort((one, other) => one.number - other.number)
  }

  /** Takes the first candidate that broke the suite, if any. */
  takeBroken(): BrokenCandidate<Run> | undefined {
    const [first, ...others] = this.#broken
    this.#broken = others
    return first
  }

  /** Returns the reason why no candidate is left to run; undefined: there is one. */
  findEnd(): 'max-runs' | 'exhausted' | undefined {
    if (this.#waiting.size > 0 || this.#draw()) return undefined
    return this.#count < this.#maxRuns ? 'exhausted' : 'max-runs'
  }

  #draw(): NumberedCandidate | undefined {
    const candidate = this.#count < this.#maxRuns ? this.#drawn.next().value : undefined
    if (!candidate) return undefined
    this.#count += 1
    const drawn = { number: this.#count, candidate }
    this.#waiting.add(drawn)
    return drawn
  }
}
