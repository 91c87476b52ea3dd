/**
 * Runs a test suite once for each fault at each place where its requests go. This file tells the whole of it: runs
 * without faults, plan, runs with a fault side by side, report. `judge-run.ts` judges one run, `../plan/` makes the
 * plan, and `../runs/` is shared with the hunt.
 */

import { failure, type Result, success } from '../../core/result.ts'
import type { FindingsReport } from '../../reports/report.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import { parseSuiteFailOn, type SuiteGate } from '../parse-suite-fail-on.ts'
import { chooseRuns, type NamedRun, parseRunName, pickNamedRuns } from '../plan/choose-runs.ts'
import { describeUnfitting, type Fault, parseFaultSet } from '../plan/fault-set.ts'
import { describeNoPlace, type PlannedRun, planRuns, type SuitePlan } from '../plan/plan.ts'
import { judgeSuite } from '../report/judge-suite.ts'
import { suiteToJson } from '../report/suite-json.ts'
import { toSuitePage } from '../report/suite-page.ts'
import {
  countByOperation,
  describeNothing,
  describeRedPlainRun,
  type JudgedRun,
  type SuiteReport,
} from '../report/suite-report.ts'
import { isRed } from '../report/verdict.ts'
import { type PlainRun, recordPlainRuns, repeatPlainRun } from '../runs/plain-runs.ts'
import { describeProgress } from '../runs/progress.ts'
import { describeRepeat } from '../runs/repeat-command.ts'
import { executeTwice, makeRuns, prepareRun } from '../runs/suite-run.ts'
import {
  deadlineAfter,
  isOver,
  refuseStart,
  refuseSuite,
  type SuiteOutcome,
  type TestSuite,
  type UntriableSuite,
} from '../runs/test-suite.ts'
import { judgeRun, mustRepeat } from './judge-run.ts'

/** Runs the command without faults, plans, makes the runs within their bounds, and reports on them. */
export async function tryFaults(opened: TestSuite): Promise<Result<SuiteOutcome, UntriableSuite>> {
  const { settings, elapsed } = opened
  const loaded = await loadFaults(opened)
  if (!loaded.ok) return loaded
  const suite = { ...opened, deadline: deadlineAfter(settings.time, elapsed) }
  const plain = await recordPlainRuns(suite)
  if (!plain.ok) return plain
  const plan = planSuite(plain.value, loaded.value)
  if (!plan.ok) return refuseSuite(`convsim: ${plan.error}`)
  const chosen = chooseRuns(
    plan.value.runs.filter(({ isReachable }) => isReachable),
    { seed: settings.seed, maxRuns: settings.maxRuns, hasTimeLimit: settings.time !== undefined },
  )
  const tried = await tryRuns(suite, chosen, plain.value)
  if (!tried.ok) return tried
  const report = reportOn(suite, plan.value, tried.value)
  return success({
    page: toSuitePage(report),
    toJson: () => suiteToJson(report),
    failed: report.failed,
    problem: describeNothing(report) ?? describeRedPlainRun(report),
  })
}

/** The faults to try, and the run that `--only` names. */
type LoadedFaults = { readonly faults: readonly Fault[]; readonly only: NamedRun | undefined }

/** Parses `--each` and `--only`. The error lists the findings on them, and on the files of the settings. */
async function loadFaults({ settings, output }: TestSuite): Promise<Result<LoadedFaults, UntriableSuite>> {
  const inputs = await loadInputs(settings)
  if (!inputs.ok) return refuseStart(inputs.error)
  const { contract, catalogue } = inputs.value
  const context = { catalogue, operations: contract.operations }
  if (settings.only !== undefined) {
    const only = parseRunName(settings.only, context)
    if (!only.ok) return refuseStart([{ severity: 'error', place: '--only', message: only.error }])
    return success({ faults: [only.value.fault], only: only.value })
  }
  const faults = parseFaultSet(settings.each ?? '', context)
  if (!faults.ok) return refuseStart([{ severity: 'error', place: '--each', message: faults.error }])
  const { unfitting } = faults.value
  if (unfitting.length > 0) output.printLine(describeUnfitting(unfitting))
  return success({ faults: faults.value.faults, only: undefined })
}

/** Plans the runs. The error is a sentence: no request can meet a fault, or not that of `--only`. */
function planSuite({ requests }: PlainRun, { faults, only }: LoadedFaults): Result<SuitePlan> {
  const noPlace = describeNoPlace(requests)
  if (noPlace !== undefined) return failure(noPlace)
  const plan = planRuns(requests, faults, { everyRequest: only !== undefined })
  if (!only) return success(plan)
  const runs = pickNamedRuns(plan.runs, only)
  return runs.ok ? success({ ...plan, runs: runs.value }) : runs
}

/** The runs that were made, with the things that judge them. */
interface TriedRuns {
  readonly plain: PlainRun
  /** The conditions of `--fail-on`. */
  readonly failOn: readonly SuiteGate[]
  readonly judged: Map<PlannedRun, JudgedRun>
  /** The findings on the requests of every run. */
  readonly findings: FindingsReport[]
  /** See `SuiteReport.changes`. */
  readonly changes: string[]
  /** Is true once the command has failed without faults, too, which ends the runs. */
  isEndedByPlainRun: boolean
}

/** The number of runs with faults after which the command runs without faults. */
const batchSize = 20

/** Makes the runs, with a run without faults after every twenty and at the end. */
async function tryRuns(
  suite: TestSuite,
  chosen: readonly PlannedRun[],
  plain: PlainRun,
): Promise<Result<TriedRuns, UntriableSuite>> {
  const tried: TriedRuns = {
    plain,
    failOn: parseSuiteFailOn(suite.settings.failOn ?? '') ?? [],
    judged: new Map(),
    findings: [],
    changes: [...plain.changes],
    isEndedByPlainRun: false,
  }
  const showProgress = createProgress(suite, chosen.length, tried)
  for (let next = 0; next < chosen.length && !isOver(suite); next += batchSize) {
    const batch = chosen.slice(next, next + batchSize)
    const made = await tryBatch(suite, batch, tried, showProgress)
    if (!made.ok) return made
    const isLast = next + batchSize >= chosen.length || isOver(suite)
    const checked = await checkBatch(suite, batch, tried, isLast)
    if (!checked.ok) return checked
    if (tried.isEndedByPlainRun) break
  }
  return success(tried)
}

/** Creates the function that shows the progress, and counts the runs that are made twice. */
function createProgress({ line, elapsed, deadline }: TestSuite, total: number, { judged }: TriedRuns) {
  const begun = elapsed()
  let repeated = 0
  return (isRepeated = false) => {
    const now = elapsed()
    if (isRepeated) repeated += 1
    line.show(describeProgress(judged, { total, repeated, sinceMs: now - begun, untilMs: deadline - now }))
  }
}

/** Makes the runs of a batch side by side, those that need it twice, and judges them. */
async function tryBatch(
  suite: TestSuite,
  batch: readonly PlannedRun[],
  { plain, failOn, judged, findings }: TriedRuns,
  showProgress: (isRepeated?: boolean) => void,
): Promise<Result<unknown, UntriableSuite>> {
  const prepare = (run: PlannedRun) => prepareRun(suite, { run })
  showProgress()
  const made = await makeRuns(suite, batch.values(), prepare, async (run, prepared) => {
    const ends = await executeTwice(suite, prepared, plain.limitMs, (first) => {
      if (!mustRepeat(run, first, plain)) return undefined
      showProgress(true)
      return prepare(run)
    })
    if (!ends.ok || !ends.value) return ends
    judged.set(run, judgeRun(run, ends.value, plain, failOn))
    findings.push(...ends.value.map((ended) => ended.findings))
    showProgress()
    return ends
  })
  suite.line.clear()
  return made
}

/** Runs the command without faults. If that fails, the runs are over, and the red ones of the batch say nothing. */
async function checkBatch(
  suite: TestSuite,
  batch: readonly PlannedRun[],
  tried: TriedRuns,
  isLast: boolean,
): Promise<Result<unknown, UntriableSuite>> {
  const { plain, judged, changes } = tried
  if (judged.size === 0) return success(undefined)
  const check = await repeatPlainRun(suite, plain, isLast ? 'at the end' : `after ${judged.size} runs`)
  if (!check.ok) return check
  changes.push(...check.value.changes)
  tried.isEndedByPlainRun = check.value.hasFailed
  for (const [run, { code = 0, isTimedOut }] of judged)
    if (check.value.hasFailed && batch.includes(run) && isRed({ code, isTimedOut })) judged.delete(run)
  return check
}

function reportOn(
  { settings, files, stopped }: TestSuite,
  plan: SuitePlan,
  { plain, failOn, judged, findings, changes, isEndedByPlainRun }: TriedRuns,
): SuiteReport {
  const reachable = plan.runs.filter(({ isReachable }) => isReachable).length
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : unreached(run)))
  const notMade = reachable - judged.size
  const early = judged.size < Math.min(reachable, settings.maxRuns ?? reachable) ? 'time' : 'max-runs'
  const stoppedBy = stopped.aborted ? 'interrupt' : early
  return {
    contract: plain.report.contract,
    run: { ...plain.report.run, command: describeCommand(files) },
    plainCounts: countByOperation(plain.requests),
    limitMs: plain.limitMs,
    runs,
    notMade,
    earlyEnd: isEndedByPlainRun ? 'red-plain-run' : notMade > 0 ? stoppedBy : undefined,
    equivalent: plan.equivalent,
    leftOut: plan.skipped,
    changes,
    repeat: (name) => describeRepeat(['--only', name], settings, files),
    failOn,
    failed: judgeSuite(runs, plain.report, findings, failOn),
    plainFailed: judgeSuite([], plain.report, [], failOn),
  }
}

function unreached(run: PlannedRun): JudgedRun {
  const lists = { client: [], failed: [], lastLines: [], requests: [] }
  const nothing = {
    wasApplied: false,
    answers: undefined,
    code: undefined,
    isTimedOut: false,
    ms: 0,
    ...lists,
  }
  return { run, verdict: 'not-reached', made: 0, ...nothing }
}
