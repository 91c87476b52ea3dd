/**
 * Runs a test suite once for each fault at each place where its requests go. `tryFaults` is the whole of it; `plan/`
 * makes the plan, `runs/` runs the command, and `report/` judges the runs.
 */
import { groupBy } from '../../base/core/group-by.ts'
import { success } from '../../base/core/result.ts'
import type { CommandContext } from '../../command-line/process/command.ts'
import { endSoon } from '../../command-line/process/output.ts'
import { findReportProblem, parseReportTargets } from '../../server/reports/formats/index.ts'
import type { FindingsReport } from '../../server/reports/report.ts'
import { describeCommand } from '../../server/reports/reported-run.ts'
import { loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { type Fault, type NamedRun, parseFaultSet, parseRunName } from './plan/fault-set.ts'
import { chooseRuns, describeNoPlace, type PlannedRun, pickNamedRuns, planRuns, type SuitePlan } from './plan/plan.ts'
import { describeRepeat, finishSuite, finishUntriable } from './report/finish-suite.ts'
import { judgeRun, mustRepeat, type RunEnds } from './report/judge-run.ts'
import { describeProgress, type SuiteReport } from './report/suite-report.ts'
import { isRed, type JudgedRun, judgeSuite } from './report/verdict.ts'
import { type Baseline, checkBaseline, recordBaseline } from './runs/baseline.ts'
import { executeRun } from './runs/execute-run.ts'
import { isOver, openSuite, refuseFlag, refuseStart, type TestSuite, UntriableSuite } from './runs/test-suite.ts'
import type { EachLine } from './settings.ts'

/** Tries the command with each fault, and returns the exit code. */
export async function each(line: EachLine, context: CommandContext): Promise<number> {
  const suite = await openSuite(line, context)
  try {
    return endSoon(context.host, await finishSuite(suite, await tryFaults(suite)))
  } catch (error) {
    suite.line.clear()
    if (!(error instanceof UntriableSuite)) throw error
    return endSoon(context.host, finishUntriable(suite, error))
  }
}

/** The runs with faults that were made. */
interface Trials {
  readonly judged: Map<PlannedRun, JudgedRun>
  /** The findings of all runs, repetitions included. */
  readonly findings: FindingsReport[]
  /** The differences of later baseline runs from the first. */
  readonly changes: string[]
}

/** The number of runs with faults after which the command runs without faults. */
const batchSize = 20

/** Runs the command without faults, then with each fault at each place, within the bounds of the settings. */
async function tryFaults(suite: TestSuite): Promise<SuiteReport> {
  const { faults, only } = await loadFaults(suite)
  const baseline = await recordBaseline(suite)
  const plan = planSuite(baseline, faults, only)
  const chosen = chooseRuns(plan.runs, suite.settings)
  const trials: Trials = { judged: new Map(), findings: [], changes: [...baseline.changes] }
  const { judged, findings, changes } = trials
  const showProgress = createProgress(suite, judged, chosen.length)
  for (const batch of splitEvery(batchSize, chosen)) {
    if (isOver(suite)) break
    await runSideBySide(suite, batch, async (run) => {
      showProgress()
      const ends = await executeUntilCertain(suite, run, baseline)
      if (!ends) return
      judged.set(run, judgeRun(run, ends, baseline, suite.failOn))
      findings.push(...ends.map((ended) => ended.findings))
    })
    suite.line.clear()
    if (judged.size === 0 || suite.stopped.aborted) break
    const isLast = isOver(suite) || batch.at(-1) === chosen.at(-1)
    const check = await checkBaseline(suite, baseline, isLast ? 'at the end' : `after ${judged.size} runs`)
    changes.push(...check.changes)
    if (check.hasFailed) return createReport(suite, plan, baseline, withoutRed(trials, batch), 'red-baseline-run')
  }
  return createReport(suite, plan, baseline, trials)
}

/**
 * Runs the command with a fault, and once more if the first run counts only with a second one. Returns undefined if it
 * was interrupted, since its end is then inconclusive.
 */
async function executeUntilCertain(
  suite: TestSuite,
  run: PlannedRun,
  baseline: Baseline,
): Promise<RunEnds | undefined> {
  const options = { run, limitMs: baseline.limitMs }
  const ends: RunEnds = [await executeRun(suite, options)]
  if (!suite.stopped.aborted && mustRepeat(run, ends[0], baseline)) ends.push(await executeRun(suite, options))
  return suite.stopped.aborted ? undefined : ends
}

/** Makes runs side by side (`--jobs`) while one may begin. Throws the first error once all have ended. */
async function runSideBySide(
  suite: TestSuite,
  runs: readonly PlannedRun[],
  execute: (run: PlannedRun) => Promise<void>,
): Promise<void> {
  const waiting = runs.values()
  const work = async () => {
    for (const run of waiting) {
      if (isOver(suite)) return
      await execute(run)
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: suite.settings.jobs }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

function splitEvery<T>(size: number, items: readonly T[]): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** Leaves out the red runs of a batch, which are inconclusive if the command fails without faults, too. */
function withoutRed(trials: Trials, batch: readonly PlannedRun[]): Trials {
  const kept = [...trials.judged].filter(([run, end]) => !isRed(end) || !batch.includes(run))
  return { ...trials, judged: new Map(kept) }
}

/** Parses `--set` or `--only`: the faults to try, and the run that `--only` names. */
async function loadFaults({ settings, output }: TestSuite) {
  const problem = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [])
  if (problem) throw refuseStart([problem])
  const inputs = await loadInputs(settings)
  if (!inputs.ok) throw refuseStart(inputs.error)
  const { contract, catalogue } = inputs.value
  const context = { catalogue, operations: contract.operations }
  if (settings.only !== undefined) {
    const named = parseRunName(settings.only, context)
    if (!named.ok) throw refuseFlag('--only', named.error)
    return { faults: [named.value.fault], only: named.value }
  }
  const parsed = parseFaultSet(settings.set, context)
  if (!parsed.ok) throw refuseFlag('--set', parsed.error)
  const { faults, unfitting } = parsed.value
  if (unfitting.length > 0)
    output.printLine(`convsim: not tried, since they fit no operation of the contract: ${unfitting.join(', ')}.`)
  return { faults, only: undefined }
}

function planSuite({ requests }: Baseline, faults: readonly Fault[], only: NamedRun | undefined): SuitePlan {
  const noPlace = describeNoPlace(requests)
  if (noPlace !== undefined) throw new UntriableSuite([`convsim: ${noPlace}`])
  const plan = planRuns(requests, faults, { everyRequest: only !== undefined })
  const runs = only ? pickNamedRuns(plan.runs, only) : success(plan.runs)
  if (!runs.ok) throw new UntriableSuite([`convsim: ${runs.error}`])
  return { ...plan, runs: runs.value }
}

/** Returns a function that shows the progress on the terminal. */
function createProgress({ line, elapsed, deadline }: TestSuite, judged: Trials['judged'], total: number) {
  const begun = elapsed()
  return () => {
    const times = { sinceMs: elapsed() - begun, untilMs: deadline - elapsed() }
    line.show(describeProgress([...judged.values()], total, times))
  }
}

function createReport(
  suite: TestSuite,
  plan: SuitePlan,
  baseline: Baseline,
  { judged, findings, changes }: Trials,
  earlyEnd?: SuiteReport['earlyEnd'],
): SuiteReport {
  const { settings, files, failOn } = suite
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : describeUnreached(run)))
  const reachable = plan.runs.filter(({ isReachable }) => isReachable).length
  const { report, requests, limitMs } = baseline
  const byOperation = [...groupBy(requests, ({ operation }) => operation?.id ?? '')]
  const sorted = byOperation.sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    contract: report.contract,
    run: { ...report.run, command: describeCommand(files) },
    baselineCounts: Object.fromEntries(sorted.map(([id, own]) => [id, own.length])),
    limitMs,
    runs,
    notMade: reachable - judged.size,
    earlyEnd: earlyEnd ?? findEarlyEnd(suite, reachable, judged.size),
    equivalent: plan.equivalent,
    leftOut: plan.skipped,
    changes,
    repeat: (name) => describeRepeat(name, settings, files),
    failOn,
    failed: judgeSuite(runs, report, findings, failOn),
    baselineFailed: judgeSuite([], report, [], failOn),
  }
}

/** Returns the reason why not all runs were made, if any. */
function findEarlyEnd({ settings, stopped }: TestSuite, reachable: number, made: number): SuiteReport['earlyEnd'] {
  if (made === reachable) return undefined
  if (stopped.aborted) return 'interrupt'
  return made < Math.min(reachable, settings.maxRuns ?? reachable) ? 'time' : 'max-runs'
}

function describeUnreached(run: PlannedRun): JudgedRun {
  const nothing = { responses: undefined, client: [], failed: [], lastLines: [], requests: [] }
  return { run, verdict: 'not-reached', made: 0, code: 0, isTimedOut: false, ms: 0, ...nothing }
}
