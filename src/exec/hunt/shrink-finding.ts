import type { Catalogue } from '../../scenarios/definition.ts'
import type { EndedRun } from '../each/faulty-run.ts'
import { type Candidate, type HuntPlace, type HuntStep, keyOf } from './candidate.ts'
import type { FindingCertainty } from './hunt-report.ts'
import { RepeatedRuns, type RepeatedRunsDeps } from './repeated-runs.ts'
import { leaveOut, shrink } from './shrink.ts'

/** The things that shrinking a finding needs. */
export interface ShrinkFindingDeps extends RepeatedRunsDeps {
  readonly catalogue: Catalogue
  readonly places: readonly HuntPlace[]
}

/** A candidate that broke the suite, as small as the time allowed. */
export interface ShrunkFinding {
  readonly candidate: Candidate
  readonly certainty: FindingCertainty
  /** The last run of the candidate that broke. */
  readonly ended: EndedRun
  /** The number of runs of the candidate, and of those that broke. */
  readonly tally: { readonly made: number; readonly failed: number }
  /** The steps without which the command passed. */
  readonly needed: readonly HuntStep[]
  /** The number of runs that shrank and confirmed it. */
  readonly runs: number
}

/** Repeats and shrinks a candidate that broke the suite. Undefined: it did not break again. */
export async function shrinkFinding(
  drawn: Candidate,
  first: EndedRun,
  deps: ShrinkFindingDeps,
): Promise<ShrunkFinding | undefined> {
  const repeated = new RepeatedRuns(deps)
  const describe = (candidate: Candidate, certainty: FindingCertainty, needed: readonly HuntStep[]) => {
    const { made, failed, lastBroken = first } = repeated.tallyOf(candidate)
    return { candidate, certainty, ended: lastBroken, tally: { made, failed }, needed, runs: repeated.made }
  }
  repeated.count(drawn, first)
  if ((await repeated.runAgain(drawn)) === 'passed') return undefined
  const candidate = await shrink(drawn, { ...deps, breaks: (one) => repeated.breaks(one) })
  if ((await repeated.runAgain(candidate)) === 'passed') {
    // A smaller one that does not break each time is worth less than the drawn one, which has broken twice.
    if (keyOf(candidate) !== keyOf(drawn)) await repeated.runAgain(drawn)
    return describe(drawn, 'unreliable', [])
  }
  const needed = await findNeeded(candidate, repeated)
  return describe(candidate, repeated.isCutShort ? 'incomplete' : 'confirmed', needed)
}

/** Returns the steps without which the command passes. */
async function findNeeded(candidate: Candidate, repeated: RepeatedRuns): Promise<readonly HuntStep[]> {
  const needed: HuntStep[] = []
  for (const step of candidate) if (!(await breaksWithout(candidate, step, repeated))) needed.push(step)
  return needed
}

async function breaksWithout(candidate: Candidate, step: HuntStep, repeated: RepeatedRuns): Promise<boolean> {
  for (const smaller of leaveOut(candidate, step)) if (await repeated.breaks(smaller)) return true
  return false
}
