import { isRed } from '../report/verdict.ts'
import type { EndedRun } from '../runs/suite-run.ts'
import { type Candidate, candidateKey } from './candidate.ts'
import type { FindingCertainty, HuntFinding } from './hunt-report.ts'
import { type ShrinkDeps, shrink } from './shrink.ts'

interface ShrinkFindingDeps extends Omit<ShrinkDeps, 'breaks'> {
  /** Runs the command once under a candidate. Returns undefined if the time is up, or if a stop ended the run. */
  readonly run: (candidate: Candidate) => Promise<EndedRun | undefined>
}

/** A candidate that broke the suite, as small as the time allowed. */
export interface ShrunkFinding extends Pick<HuntFinding, 'candidate' | 'certainty' | 'tally' | 'shrinkingRuns'> {
  /** The last run of the candidate that broke. */
  readonly ended: EndedRun
}

/** Repeats and shrinks a candidate that broke the suite. Returns undefined if it did not break again. */
export async function shrinkFinding(
  drawn: Candidate,
  first: EndedRun,
  deps: ShrinkFindingDeps,
): Promise<ShrunkFinding | undefined> {
  const repeated = new RepeatedRuns(deps.run)
  const describe = (candidate: Candidate, certainty: FindingCertainty) => {
    const { lastBroken = first, ...tally } = repeated.tallyOf(candidate)
    return { candidate, certainty, ended: lastBroken, tally, shrinkingRuns: repeated.made }
  }
  repeated.count(drawn, first)
  if ((await repeated.runAgain(drawn)) === 'passed') return undefined
  const candidate = await shrink(drawn, { ...deps, breaks: (one) => repeated.breaks(one) })
  if ((await repeated.runAgain(candidate)) === 'passed') {
    // A smaller one that does not break each time is worth less than the drawn one, which has broken twice.
    if (candidateKey(candidate) !== candidateKey(drawn)) await repeated.runAgain(drawn)
    return describe(drawn, 'unreliable')
  }
  return describe(candidate, repeated.isCutShort ? 'incomplete' : 'confirmed')
}

/** The number of runs of a candidate, and of those that broke, with the last of these. */
interface RunTally {
  readonly made: number
  readonly failed: number
  readonly lastBroken: EndedRun | undefined
}

/** Runs candidates again and again, and counts how often each breaks the suite. */
class RepeatedRuns {
  readonly #run: ShrinkFindingDeps['run']
  readonly #tallies = new Map<string, RunTally>()
  /** The number of runs that were made here. */
  made = 0
  /** True once a run was not made: no further one is then. */
  isCutShort = false

  constructor(run: ShrinkFindingDeps['run']) {
    this.#run = run
  }

  /** Counts a run that was made elsewhere. */
  count(candidate: Candidate, ended: EndedRun): void {
    const { made, failed, lastBroken } = this.tallyOf(candidate)
    const next = isRed(ended) ? { failed: failed + 1, lastBroken: ended } : { failed, lastBroken }
    this.#tallies.set(candidateKey(candidate), { made: made + 1, ...next })
  }

  /** Returns the runs of a candidate so far, and the last one that broke. */
  tallyOf(candidate: Candidate): RunTally {
    return this.#tallies.get(candidateKey(candidate)) ?? { made: 0, failed: 0, lastBroken: undefined }
  }

  async runAgain(candidate: Candidate): Promise<'broke' | 'passed' | 'not-made'> {
    const ended = this.isCutShort ? undefined : await this.#run(candidate)
    this.isCutShort = ended === undefined
    if (!ended) return 'not-made'
    this.made += 1
    this.count(candidate, ended)
    return isRed(ended) ? 'broke' : 'passed'
  }

  /** Returns true if a candidate breaks the suite, or has done so before; false if there was no time for its run. */
  async breaks(candidate: Candidate): Promise<boolean> {
    if (this.tallyOf(candidate).made === 0) await this.runAgain(candidate)
    return this.tallyOf(candidate).failed > 0
  }
}
