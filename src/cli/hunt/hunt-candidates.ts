import { type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { Report } from '../../reports/report.ts'
import type { Candidate, HuntPlace } from '../../suites/hunt/candidate.ts'
import { drawCandidates } from '../../suites/hunt/draw-candidates.ts'
import type { HuntCounts, HuntEnd } from '../../suites/hunt/hunt-report.ts'
import type { SuiteAttempt } from '../each/attempt.ts'
import type { EndedRun } from '../each/faulty-run.ts'
import { makeRuns } from '../each/make-runs.ts'
import type { PlainRun } from '../each/plain-runs.ts'
import { type CandidateRuns, isBroken } from './candidate-runs.ts'
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
  readonly end: HuntEnd
  /** Undefined: nothing broke the suite, and broke it again. */
  readonly found: HuntCatch | undefined
  /** The reports on the requests of all runs. */
  readonly reports: readonly Report[]
}

/** A candidate with its number among the drawn ones, from 1. */
interface NumberedCandidate {
  readonly number: number
  readonly candidate: Candidate
}

/** Draws candidates and runs the command under each until one breaks it each time; then shrinks that one. The error: no simulator can start. */
export async function huntCandidates(context: HuntContext): Promise<Result<HuntOutcome, Findings>> {
  const { attempt, plain } = context
  const { seed, maxRuns, failOn } = attempt.settings
  const drawn = numberCandidates(drawCandidates({ ...context, seed }), maxRuns ?? Number.POSITIVE_INFINITY)
  const counts = { single: 0, pair: 0, longer: 0 }
  const reports: Report[] = []
  const onEnd = ({ length }: Candidate, { report }: EndedRun) => {
    counts[length === 1 ? 'single' : length === 2 ? 'pair' : 'longer'] += 1
    // A coverage for each run would fill the memory.
    if (failOn !== undefined) reports.push({ ...report, coverage: plain.report.coverage })
  }
  for (let unrepeatable = 0; ; unrepeatable += 1) {
    const broken = await findBroken(drawn, context, onEnd)
    if (!broken.ok) return broken
    if (!broken.value)
      return success({ counts, unrepeatable, end: endOf(context, counts), found: undefined, reports })
    const { candidate, ended } = broken.value
    const shrunk = await shrinkFinding(candidate, ended, shrinkDeps(context))
    if (shrunk)
      return success({ counts, unrepeatable, end: 'found', found: { drawn: candidate, shrunk }, reports })
  }
}

function* numberCandidates(
  candidates: Iterable<Candidate>,
  count: number,
): Generator<NumberedCandidate, undefined> {
  let number = 0
  for (const candidate of candidates) {
    if (number >= count) return undefined
    number += 1
    yield { number, candidate }
  }
  return undefined
}

/** A candidate that broke the suite, and its run. */
type BrokenRun = NumberedCandidate & { readonly ended: EndedRun }

/** Finds the first drawn candidate that breaks the suite; undefined: none did. Of several side by side it is the one that was drawn first. */
async function findBroken(
  drawn: Iterable<NumberedCandidate, undefined>,
  { attempt, runs, progress, limitMs, deadline }: HuntContext,
  onEnd: (candidate: Candidate, ended: EndedRun) => void,
): Promise<Result<BrokenRun | undefined, Findings>> {
  const { settings, deps, runDeps, stop } = attempt
  const broken: BrokenRun[] = []
  const isStopped = () => stop.code !== undefined
  const made = await makeRuns(drawn, runDeps, {
    jobs: settings.jobs,
    limitMs,
    isStopped,
    prepare: ({ candidate }) => runs.prepare(candidate),
    isOver: (run) =>
      isStopped() ||
      (deadline !== undefined && deps.elapsed() >= deadline) ||
      broken.some(({ number }) => run === undefined || number < run.number),
    onEnd: ({ number, candidate }, ended) => {
      progress.count('hunt')
      onEnd(candidate, ended)
      if (isBroken(ended)) broken.push({ number, candidate, ended })
    },
  })
  if (!made.ok) return made
  return success(broken.sort((one, other) => one.number - other.number)[0])
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
    isStopped: () => attempt.stop.code !== undefined,
  }
}

/** Returns the reason why a hunt that found nothing ended. */
function endOf({ attempt, deadline }: HuntContext, { single, pair, longer }: HuntCounts): HuntEnd {
  const { settings, deps, stop } = attempt
  if (stop.code !== undefined) return 'interrupt'
  if (single + pair + longer === settings.maxRuns) return 'max-runs'
  return deadline !== undefined && deps.elapsed() >= deadline ? 'time' : 'exhausted'
}
