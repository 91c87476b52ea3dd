/**
 * Runs a test suite under combinations of faults until one breaks it. This file tells the whole of it: runs without
 * faults, candidates side by side, the one that broke the suite made smaller, report. `draw-candidates.ts` draws
 * candidates, `shrink.ts` repeats and shrinks one.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withTempFolder } from '../../process/temp-folder.ts'
import type { FindingsReport } from '../../reports/report.ts'
import { hasSwallowedCall } from '../report/good-answers.ts'
import { isRed } from '../report/verdict.ts'
import { type PlainRun, recordPlainRuns, repeatPlainRun } from '../runs/plain-runs.ts'
import { describeHuntProgress } from '../runs/progress.ts'
import { type EndedRun, executeRun, executeTwice, makeRuns, type PreparedRun, prepareRun } from '../runs/suite-run.ts'
import {
  deadlineAfter,
  isOver,
  loadFaultContext,
  readFaults,
  refuseFlag,
  type SuiteOutcome,
  type TestSuite,
  UntriableSuite,
} from '../runs/test-suite.ts'
import { type Candidate, listPlaces } from './candidate.ts'
import { type BrokenCandidate, CandidateQueue, type NumberedCandidate } from './candidate-queue.ts'
import { drawCandidates, type HuntSources } from './draw-candidates.ts'
import { countRuns } from './hunt-report.ts'
import { findHuntFileProblem, type HuntOutcome, renderRules, reportOnHunt } from './report-on-hunt.ts'
import { type ShrunkFinding, shrinkFinding } from './shrink.ts'

/** The time of a hunt that has neither a time nor a number of runs, and of shrinking without a time. */
const defaultTime = '2m'

/** Runs the command without faults, hunts, and reports. */
export async function huntFaults(suite: TestSuite): Promise<SuiteOutcome> {
  const { settings, elapsed } = suite
  const loaded = await loadHunt(suite)
  const time = settings.time ?? (settings.maxRuns === undefined ? defaultTime : undefined)
  const deadline = deadlineAfter(time, elapsed)
  const plain = await recordPlainRuns({ ...suite, deadline: deadlineAfter(settings.time, elapsed) })
  const places = listPlaces(plain.requests)
  if (places.length === 0)
    throw new UntriableSuite([
      'convsim: no request of the command can meet a fault: none got the ordinary answer of an operation.',
    ])
  const sources = { ...loaded, places, seed: settings.seed }
  return withTempFolder('hunt', suite.host, async (folder) => {
    const hunt: HuntContext = {
      ...sources,
      plain,
      prepare: createPrepare(suite, folder),
      queue: new CandidateQueue(drawCandidates(sources), settings.maxRuns),
      tally: startTally(),
    }
    return reportOnHunt(suite, hunt, await huntCandidates({ ...suite, deadline }, hunt))
  })
}

/** Parses `--hunt`, and checks that its file can be written. */
async function loadHunt(suite: TestSuite): Promise<Pick<HuntSources, 'faults' | 'catalogue'>> {
  const unwritable = await findHuntFileProblem()
  if (unwritable !== undefined) throw refuseFlag('--hunt', unwritable)
  const context = await loadFaultContext(suite)
  const faults = readFaults(suite, '--hunt', suite.settings.hunt ?? '', context)
  const wrong = faults.find(({ question }) => question === 'notice')
  if (!wrong) return { faults, catalogue: context.catalogue }
  throw refuseFlag(
    '--hunt',
    `"${wrong.scenario.text}" has a wrong or final answer, under which tests should fail; ` +
      'a hunt needs faults that a good client survives. --each tries it.',
  )
}

/** Creates the function that starts simulators, each with a file of scenarios like the one that repeats its run. */
function createPrepare(suite: TestSuite, folder: string) {
  let files = 0
  return async (candidate: Candidate) => {
    files += 1
    const scenarios = join(folder, `${files}.yaml`)
    await writeFile(scenarios, renderRules(candidate))
    const prepared = await prepareRun(suite, { rules: scenarios })
    await rm(scenarios)
    return prepared
  }
}

/** The things that a hunt needs, and those that its runs add to. */
interface HuntContext extends HuntSources {
  readonly plain: PlainRun
  readonly prepare: ReturnType<typeof createPrepare>
  readonly queue: CandidateQueue<EndedRun>
  readonly tally: ReturnType<typeof startTally>
}

const startTally = () => ({
  shrinkingRuns: 0,
  counts: { single: 0, pair: 0, longer: 0 },
  unrepeatable: 0,
  neverSucceeded: 0,
  findings: [] as FindingsReport[],
})

/**
 * Runs the command under each candidate until one breaks it each time; then shrinks that one, and runs the command
 * without faults: if that fails, what broke the suite is no finding.
 */
async function huntCandidates(suite: TestSuite, hunt: HuntContext): Promise<HuntOutcome> {
  const { plain, queue, tally, prepare } = hunt
  for (;;) {
    await makeRuns(
      suite,
      queue.take(),
      ({ candidate }) => prepare(candidate),
      (one, prepared) => tryCandidate(suite, hunt, one, prepared),
    )
    const broken = queue.takeBroken()
    if (!broken) {
      const end = suite.stopped.aborted ? 'interrupt' : (queue.findEnd() ?? 'time')
      return { tally, changes: plain.changes, end, found: undefined }
    }
    const shrunk = await shrinkBroken(suite, hunt, broken)
    if (shrunk) {
      const check = await repeatPlainRun(suite, plain, 'at the end')
      const changes = [...plain.changes, ...check.changes]
      return check.hasFailed
        ? { tally, changes, end: 'red-plain-run', found: undefined }
        : { tally, changes, end: 'found', found: { drawn: broken.candidate, shrunk } }
    }
    tally.unrepeatable += 1
  }
}

/** Runs the command under a candidate, twice if it is green although a call never succeeded. */
async function tryCandidate(
  suite: TestSuite,
  { plain, queue, tally, prepare }: HuntContext,
  one: NumberedCandidate,
  prepared: PreparedRun,
): Promise<void> {
  if (queue.isAfterBroken(one)) return
  const { candidate } = one
  const { settings, line, elapsed, deadline } = suite
  const isSwallowed = (run: EndedRun) => !isRed(run) && hasSwallowedCall(plain, run.recorder.requests)
  const ends = await executeTwice(suite, prepared, plain.limitMs, (first) =>
    isSwallowed(first) ? prepare(candidate) : undefined,
  )
  if (!ends) return
  const [first] = ends
  tally.counts[(['single', 'pair'] as const)[candidate.length - 1] ?? 'longer'] += 1
  if (ends.every(isSwallowed)) tally.neverSucceeded += 1
  if (settings.failOn !== undefined) tally.findings.push(...ends.map(({ findings }) => findings))
  queue.finish(one, isRed(first) ? first : undefined)
  line.show(describeHuntProgress(countRuns(tally.counts), deadline - elapsed()))
}

/** Repeats and shrinks a candidate while the hunt may take time. Returns undefined if it did not break again. */
function shrinkBroken(
  suite: TestSuite,
  hunt: HuntContext,
  { candidate, ended }: BrokenCandidate<EndedRun>,
): Promise<ShrunkFinding | undefined> {
  const { settings, stopped, line, elapsed } = suite
  const deadline = deadlineAfter(settings.time ?? defaultTime, elapsed)
  const run = async (smaller: Candidate) => {
    if (isOver({ ...suite, deadline })) return undefined
    hunt.tally.shrinkingRuns += 1
    line.show(describeHuntProgress(countRuns(hunt.tally.counts), deadline - elapsed(), hunt.tally.shrinkingRuns))
    // Where no simulator can start any more, the hunt reports what it has found.
    const prepared = await hunt.prepare(smaller).catch((error: unknown) => {
      if (error instanceof UntriableSuite) return undefined
      throw error
    })
    const again = prepared && (await executeRun(suite, prepared, hunt.plain.limitMs))
    return stopped.aborted ? undefined : again
  }
  return shrinkFinding(candidate, ended, hunt.catalogue, run)
}
