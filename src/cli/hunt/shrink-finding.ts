import type { Catalogue } from '../../scenarios/definition.ts'
import { type Candidate, type HuntPlace, type HuntStep, keyOf } from '../../suites/hunt/candidate.ts'
import { leaveOut, shrink } from '../../suites/hunt/shrink.ts'
import type { EndedRun } from '../each/faulty-run.ts'
import { isBroken } from './candidate-runs.ts'

/** The things that shrinking a finding needs. */
export interface ShrinkFindingDeps {
  readonly catalogue: Catalogue
  readonly places: readonly HuntPlace[]
  /** Runs the command once under a candidate. */
  readonly run: (candidate: Candidate) => Promise<EndedRun>
  /** Returns true once there is no time for a further run. */
  readonly isOver: () => boolean
  /** Returns true once a stop was requested, which ends the command: its end says nothing. */
  readonly isStopped: () => boolean
}

/** A candidate that broke the suite at least twice, as small as the time allowed. */
export interface ShrunkFinding {
  readonly candidate: Candidate
  /** The last run that broke. */
  readonly ended: EndedRun
  readonly needed: readonly HuntStep[]
  readonly isShrunk: boolean
  readonly runs: number
}

/** Repeats and shrinks a candidate that broke the suite. Undefined: it did not break again. */
export async function shrinkFinding(
  drawn: Candidate,
  first: EndedRun,
  deps: ShrinkFindingDeps,
): Promise<ShrunkFinding | undefined> {
  const broken = new Map<string, EndedRun | undefined>()
  let [runs, isShrunk] = [0, true]
  /** Returns the run if it broke. */
  const runAgain = async (candidate: Candidate): Promise<EndedRun | undefined> => {
    if (deps.isOver() || deps.isStopped()) isShrunk = false
    if (!isShrunk) return undefined
    const ended = await deps.run(candidate)
    runs += 1
    if (deps.isStopped()) isShrunk = false
    return isBroken(ended) && !deps.isStopped() ? ended : undefined
  }
  const breaks = async (candidate: Candidate) => {
    const key = keyOf(candidate)
    if (!broken.has(key)) broken.set(key, await runAgain(candidate))
    return broken.get(key) !== undefined
  }
  const again = await runAgain(drawn)
  if (!again && isShrunk) return undefined
  broken.set(keyOf(drawn), again ?? first)
  const candidate = await shrink(drawn, { breaks, catalogue: deps.catalogue, places: deps.places })
  const last = await runAgain(candidate)
  const needed: HuntStep[] = []
  for (const step of candidate) if (!(await breaksWithout(candidate, step, breaks))) needed.push(step)
  // A smaller one that does not break each time is worth less than the drawn one, which did.
  if (!last && isShrunk) return { candidate: drawn, ended: again ?? first, needed: [], isShrunk: false, runs }
  return { candidate, ended: last ?? broken.get(keyOf(candidate)) ?? first, needed, isShrunk, runs }
}

async function breaksWithout(
  candidate: Candidate,
  step: HuntStep,
  breaks: (candidate: Candidate) => Promise<boolean>,
): Promise<boolean> {
  for (const smaller of leaveOut(candidate, step)) if (await breaks(smaller)) return true
  return false
}
