import type { EndedRun } from '../each/faulty-run.ts'
import { type Candidate, keyOf } from './candidate.ts'
import { isBroken } from './candidate-runs.ts'

/** The things that repeated runs need. */
export interface RepeatedRunsDeps {
  /** Runs the command once under a candidate. */
  readonly run: (candidate: Candidate) => Promise<EndedRun>
  /** Returns true once there is no time for a further run. */
  readonly isOver: () => boolean
  /** Returns true once a stop was requested, which ends the command: its end says nothing. */
  readonly isStopped: () => boolean
}

/** The outcome of a run. `not-made`: there was no time for it, or a stop ended it. */
export type RepeatedOutcome = 'broke' | 'passed' | 'not-made'

/** The runs of a candidate. */
export interface RunTally {
  readonly made: number
  readonly failed: number
  /** The last run that broke; undefined: none did. */
  readonly lastBroken: EndedRun | undefined
}

/** Runs candidates again and again, and counts how often each breaks the suite. */
export class RepeatedRuns {
  readonly #deps: RepeatedRunsDeps
  readonly #tallies = new Map<string, RunTally>()
  #made = 0
  #isCutShort = false

  constructor(deps: RepeatedRunsDeps) {
    this.#deps = deps
  }

  /** The number of runs that were begun here. */
  get made(): number {
    return this.#made
  }

  /** True once a run was not made. */
  get isCutShort(): boolean {
    return this.#isCutShort
  }

  /** Counts a run that was made elsewhere. */
  count(candidate: Candidate, ended: EndedRun): void {
    const { made, failed, lastBroken } = this.tallyOf(candidate)
    const broke = isBroken(ended)
    this.#tallies.set(keyOf(candidate), {
      made: made + 1,
      failed: failed + (broke ? 1 : 0),
      lastBroken: broke ? ended : lastBroken,
    })
  }

  /** Returns the runs of a candidate so far. */
  tallyOf(candidate: Candidate): RunTally {
    return this.#tallies.get(keyOf(candidate)) ?? { made: 0, failed: 0, lastBroken: undefined }
  }

  /** Runs the command once more under a candidate. */
  async runAgain(candidate: Candidate): Promise<RepeatedOutcome> {
    const { run, isOver, isStopped } = this.#deps
    this.#isCutShort ||= isOver() || isStopped()
    if (this.#isCutShort) return 'not-made'
    const ended = await run(candidate)
    this.#made += 1
    this.#isCutShort = isStopped()
    if (this.#isCutShort) return 'not-made'
    this.count(candidate, ended)
    return isBroken(ended) ? 'broke' : 'passed'
  }

  /** Returns true if a candidate breaks the suite, or has done so before; false if there was no time for its run. */
  async breaks(candidate: Candidate): Promise<boolean> {
    if (this.tallyOf(candidate).made === 0) await this.runAgain(candidate)
    return this.tallyOf(candidate).failed > 0
  }
}
