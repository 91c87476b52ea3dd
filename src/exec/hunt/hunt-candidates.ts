import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { FindingsReport } from '../../reports/report.ts'
import type { SuiteAttempt } from '../each/attempt.ts'
import type { EndedRun } from '../each/faulty-run.ts'
import { makeRuns } from '../each/make-runs.ts'
import type { PlainRun } from '../each/plain-runs.ts'
import { hasSwallowedCall } from '../report/good-answers.ts'
import type { Candidate, HuntPlace } from './candidate.ts'
import { CandidateQueue } from './candidate-queue.ts'
import { type CandidateRuns, isBroken } from './candidate-runs.ts'
import { drawCandidates } from './draw-candidates.ts'
import type { HuntCounts, HuntEnd } from './hunt-report.ts'
import type { LoadedHunt } from './load-hunt.ts'
import type { HuntProgress } from './progress.ts'
import { type ShrinkFindingDeps, type ShrunkFinding, shrinkFinding } from './shrink-finding.ts'

/** The things that a hunt needs. */
export interface HuntContext extends LoadedHunt {
  readonly attempt: SuiteAttempt
  readonly plain: PlainRun
  readonly places: readonly HuntPlace[]
  /** The time limit of a run, milliseconds. */
  readonly limitMs: number
  /** The end of the hunt by `elapsed`; undefined: none. */
  readonly deadline: number | undefined
  /** The time for shrinking, milliseconds. */
  readonly shrinkMs: number
  readonly runs: CandidateRuns
  readonly progress: HuntProgress
}

/** A candidate that broke the suite, and the shrunk one. */
export interface HuntCatch {
  readonly drawn: Candidate
  readonly shrunk: ShrunkFinding
}

/** The outcome of the runs of a hunt. */
export interface HuntOutcome {
  readonly counts: HuntCounts
  readonly unrepeatable: number
  /** The number of runs that were green, although a call that a fault struck got no good answer. */
  readonly neverSucceeded: number
  readonly end: HuntEnd
  /** Undefined: nothing broke the suite, and broke it again. */
  readonly found: HuntCatch | undefined
  /** The findings on the requests of each run; empty without `--fail-on`. */
  readonly findings: readonly FindingsReport[]
}

/** Draws candidates and runs the command under each until one breaks it each time; then shrinks that one. The error: no simulator can start. */
export async function huntCandidates(context: HuntContext): Promise<Result<HuntOutcome, Findings>> {
  const { seed, maxRuns, failOn } = context.attempt.settings
  const queue: HuntQueue = new CandidateQueue(
    drawCandidates({ ...context, seed }),
    maxRuns ?? Number.POSITIVE_INFINITY,
  )
  const counts = { single: 0, pair: 0, longer: 0 }
  const findings: FindingsReport[] = []
  let neverSucceeded = 0
  const onEnd = ({ length }: Candidate, ended: EndedRun, again: EndedRun | undefined) => {
    if ([ended, again].every((one) => hasSwallowed(one, context))) neverSucceeded += 1
    counts[length === 1 ? 'single' : length === 2 ? 'pair' : 'longer'] += 1
    if (failOn !== undefined) findings.push(ended.findings, ...(again ? [again.findings] : []))
  }
  for (let unrepeatable = 0; ; unrepeatable += 1) {
    const made = await runQueue(queue, context, onEnd)
    if (!made.ok) return made
    const broken = queue.takeBroken()
    const outcome = { counts, unrepeatable, neverSucceeded, findings }
    if (!broken) return success({ ...outcome, end: endOf(context, queue), found: undefined })
    const { candidate, ended } = broken
    const shrunk = await shrinkFinding(candidate, ended, shrinkDeps(context))
    if (shrunk) return success({ ...outcome, end: 'found', found: { drawn: candidate, shrunk } })
  }
}

type HuntQueue = CandidateQueue<EndedRun>

/** Returns true for a green run with a struck call that got no good answer. */
function hasSwallowed(ended: EndedRun | undefined, { plain }: HuntContext): boolean {
  return ended !== undefined && !isBroken(ended) && hasSwallowedCall(plain, ended.recorder.requests)
}

/** Runs the candidates of the queue until one breaks the suite. Of those side by side all that broke it are in the queue then. */
function runQueue(
  queue: HuntQueue,
  context: HuntContext,
  onEnd: (candidate: Candidate, ended: EndedRun, again: EndedRun | undefined) => void,
): Promise<Result<undefined, Findings>> {
  const { attempt, runs, progress, limitMs, deadline } = context
  const { settings, deps, runDeps } = attempt
  return makeRuns(queue.take(), runDeps, {
    jobs: settings.jobs,
    limitMs,
    prepare: ({ candidate }) => runs.prepare(candidate),
    isOver: (run) =>
      runDeps.isStopped() ||
      (deadline !== undefined && deps.elapsed() >= deadline) ||
      (run !== undefined && queue.isAfterBroken(run)),
    onSkip: (run) => queue.putBack(run),
    mustRepeat: (_, ended) => hasSwallowed(ended, context),
    onEnd: (run, ended, again) => {
      progress.count('hunt')
      onEnd(run.candidate, ended, again)
      if (isBroken(ended)) queue.addBroken({ ...run, ended })
    },
  })
}

function shrinkDeps({
  attempt,
  runs,
  progress,
  catalogue,
  places,
  shrinkMs,
}: HuntContext): ShrinkFindingDeps {
  const { elapsed } = attempt.deps
  const deadline = elapsed() + shrinkMs
  return {
    catalogue,
    places,
    run(candidate) {
      progress.count('shrink')
      return runs.run(candidate)
    },
    isOver: () => elapsed() >= deadline,
    isStopped: attempt.runDeps.isStopped,
  }
}

/** Returns the reason why a hunt that found nothing ended. */
function endOf({ attempt }: HuntContext, queue: HuntQueue): HuntEnd {
  return attempt.stop.code !== undefined ? 'interrupt' : (queue.findEnd() ?? 'time')
}
