/**
 * Runs a test suite once for each fault at each place where its requests go. This file tells the whole of it: runs
 * without faults, plan, runs with a fault side by side, the verdict on each, report. `plan/` makes the plan,
 * `runs/` runs the command.
 */
import { success } from '../../base/core/result.ts'
import type { CommandContext } from '../../command-line/process/command.ts'
import { endSoon } from '../../command-line/process/output.ts'
import { parseReportTargets } from '../../server/reports/formats/index.ts'
import { describeFindings, type FindingsReport } from '../../server/reports/report.ts'
import { findReportProblem } from '../../server/reports/report-file.ts'
import { describeCommand } from '../../server/reports/reported-run.ts'
import { parseSuiteFailOn, type SuiteGate } from './parse-suite-fail-on.ts'
import { chooseRuns, type NamedRun, parseRunName, pickNamedRuns } from './plan/choose-runs.ts'
import type { Fault } from './plan/fault-set.ts'
import { describeNoPlace, type PlannedRun, planRuns, type SuitePlan } from './plan/plan.ts'
import { finishSuite, finishUntriable } from './report/finish-suite.ts'
import { countGoodResponses, hasGoodResponse } from './report/good-responses.ts'
import { judgeRequests, judgeSuite } from './report/judge-suite.ts'
import { countByOperation, type JudgedRun, type SuiteReport } from './report/suite-report.ts'
import { isRed, judgeRuns, type RunOutcome } from './report/verdict.ts'
import { type BaselineRun, recordBaselineRuns, repeatBaselineRun } from './runs/baseline-runs.ts'
import { describeProgress } from './runs/progress.ts'
import { describeRepeat } from './runs/repeat-command.ts'
import { type EndedRun, executeTwice, makeRuns, type PreparedRun, type RunEnds } from './runs/suite-run.ts'
import {
  deadlineAfter,
  isOver,
  loadFaultContext,
  openSuite,
  readFaults,
  refuseFlag,
  refuseStart,
  type TestSuite,
  UntriableSuite,
} from './runs/test-suite.ts'
import type { EachLine } from './settings.ts'

/** Tries the command with each fault, and returns the exit code. */
export async function each(line: EachLine, context: CommandContext): Promise<number> {
  const suite = openSuite(line, { ...context, output: await context.openOutput(line.settings) })
  return endSoon(context.host, await runSuite(suite))
}

async function runSuite(suite: TestSuite): Promise<number> {
  try {
    const problem = await findReportProblem(parseReportTargets(suite.settings.report ?? '') ?? [])
    if (problem) throw refuseStart([problem])
    return await finishSuite(suite, await tryFaults(suite))
  } catch (error) {
    if (error instanceof UntriableSuite) return finishUntriable(suite, error)
    throw error
  }
}

/** Runs the command without faults, plans, makes the runs within their bounds, and reports on them. */
async function tryFaults(opened: TestSuite): Promise<SuiteReport> {
  const { settings, elapsed } = opened
  const { faults, only } = await loadFaults(opened)
  const suite = { ...opened, deadline: deadlineAfter(settings.time, elapsed) }
  const plain = await recordBaselineRuns(suite)
  const plan = planSuite(plain, faults, only)
  const reachable = plan.runs.filter(({ isReachable }) => isReachable)
  const chosen = chooseRuns(reachable, settings)
  const failOn = parseSuiteFailOn(settings.failOn ?? '') ?? []
  return reportOn(suite, plan, plain, failOn, await tryRuns(suite, chosen, plain, failOn))
}

/** Parses `--set` or `--only`: the faults to try, and the run that `--only` names. */
async function loadFaults(suite: TestSuite) {
  const { set, only } = suite.settings
  const context = await loadFaultContext(suite)
  if (only === undefined) return { faults: readFaults(suite, set, context), only }
  const named = parseRunName(only, context)
  if (!named.ok) throw refuseFlag('--only', named.error)
  return { faults: [named.value.fault], only: named.value }
}

function planSuite({ requests }: BaselineRun, faults: readonly Fault[], only: NamedRun | undefined): SuitePlan {
  const noPlace = describeNoPlace(requests)
  if (noPlace !== undefined) throw new UntriableSuite([`convsim: ${noPlace}`])
  const plan = planRuns(requests, faults, { everyRequest: only !== undefined })
  const runs = only ? pickNamedRuns(plan.runs, only) : success(plan.runs)
  if (!runs.ok) throw new UntriableSuite([`convsim: ${runs.error}`])
  return { ...plan, runs: runs.value }
}

/** The number of runs with faults after which the command runs without faults. */
const batchSize = 20

/**
 * Makes the runs side by side, those that need it twice, with a run without faults after every twenty and at the end.
 * If that one fails, the runs are over, and the red ones since the last one say nothing.
 */
async function tryRuns(
  suite: TestSuite,
  chosen: readonly PlannedRun[],
  plain: BaselineRun,
  failOn: readonly SuiteGate[],
) {
  const judged = new Map<PlannedRun, JudgedRun>()
  const findings: FindingsReport[] = []
  const changes = [...plain.changes]
  let isEndedByBaselineRun = false
  const showProgress = createProgress(suite, chosen.length, judged)
  const tryRun = async (run: PlannedRun, prepared: PreparedRun) => {
    const ends = await executeTwice(suite, run, prepared, plain.limitMs, (first) => {
      const isRepeated = mustRepeat(run, first, plain)
      if (isRepeated) showProgress(true)
      return isRepeated
    })
    if (!ends) return
    judged.set(run, judgeRun(run, ends, plain, failOn))
    findings.push(...ends.map((ended) => ended.findings))
    showProgress()
  }
  for (let next = 0; next < chosen.length && !isOver(suite) && !isEndedByBaselineRun; next += batchSize) {
    const batch = chosen.slice(next, next + batchSize)
    showProgress()
    await makeRuns(suite, batch, tryRun)
    suite.line.clear() // before the simulator of the next run can log
    if (judged.size === 0) break // the time was up, or a signal came, before the first run ended
    const isLast = next + batchSize >= chosen.length || isOver(suite)
    const check = await repeatBaselineRun(suite, plain, isLast ? 'at the end' : `after ${judged.size} runs`)
    changes.push(...check.changes)
    isEndedByBaselineRun = check.hasFailed
    const red = [...judged].filter(([run, end]) => batch.includes(run) && isRed(end))
    if (isEndedByBaselineRun) for (const [run] of red) judged.delete(run)
  }
  return { judged, findings, changes, isEndedByBaselineRun }
}

/** Creates the function that shows the progress, and counts the runs that are made twice. */
function createProgress(
  { line, elapsed, deadline }: TestSuite,
  total: number,
  judged: ReadonlyMap<unknown, JudgedRun>,
) {
  const begun = elapsed()
  let repeated = 0
  return (isRepeated = false) => {
    const now = elapsed()
    if (isRepeated) repeated += 1
    line.show(describeProgress(judged, { total, repeated, sinceMs: now - begun, untilMs: deadline - now }))
  }
}

function reportOn(
  { settings, files, stopped }: TestSuite,
  plan: SuitePlan,
  plain: BaselineRun,
  failOn: readonly SuiteGate[],
  { judged, findings, changes, isEndedByBaselineRun }: Awaited<ReturnType<typeof tryRuns>>,
): SuiteReport {
  const reachable = plan.runs.filter(({ isReachable }) => isReachable).length
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : unreached(run)))
  const notMade = reachable - judged.size
  const early = judged.size < Math.min(reachable, settings.maxRuns ?? reachable) ? 'time' : 'max-runs'
  const stoppedBy = stopped.aborted ? 'interrupt' : early
  return {
    contract: plain.report.contract,
    run: { ...plain.report.run, command: describeCommand(files) },
    baselineCounts: countByOperation(plain.requests),
    limitMs: plain.limitMs,
    runs,
    notMade,
    earlyEnd: isEndedByBaselineRun ? 'red-baseline-run' : notMade > 0 ? stoppedBy : undefined,
    equivalent: plan.equivalent,
    leftOut: plan.skipped,
    changes,
    repeat: (name) => describeRepeat(name, settings, files),
    failOn,
    failed: judgeSuite(runs, plain.report, findings, failOn),
    baselineFailed: judgeSuite([], plain.report, [], failOn),
  }
}

function unreached(run: PlannedRun): JudgedRun {
  const nothing = { responses: undefined, client: [], failed: [], lastLines: [], requests: [] }
  return { run, verdict: 'not-reached', made: 0, code: 0, isTimedOut: false, ms: 0, ...nothing }
}

/** Returns true for a run that counts only if a second one agrees: red, swallowed, or without its fault. */
function mustRepeat(run: PlannedRun, first: EndedRun, plain: BaselineRun): boolean {
  return isRed(first) || ['never-succeeded', 'not-reached'].includes(judgeRuns(run, [toOutcome(first, plain)]))
}

/** Judges a run by itself and its repetition. `failOn`: the conditions of `--fail-on`. */
function judgeRun(run: PlannedRun, ends: RunEnds, plain: BaselineRun, failOn: readonly SuiteGate[]): JudgedRun {
  const { recorder, code, isTimedOut, lastLines } = chooseShown(ends)
  const { target } = recorder
  const outcomes = ends.map((ended) => toOutcome(ended, plain))
  return {
    run,
    verdict: judgeRuns(run, outcomes),
    made: ends.length,
    responses: target && countGoodResponses(plain, recorder.requests, target),
    code,
    isTimedOut,
    ms: ends.reduce((sum, { ms }) => sum + ms, 0),
    client: unique(ends.flatMap(({ findings }) => listClientFindings(findings, plain.report))),
    failed: unique(ends.flatMap(({ findings }) => judgeRequests(findings, failOn))),
    lastLines,
    requests: recorder.listLastLines(),
  }
}

const unique = (lines: readonly string[]): readonly string[] => [...new Set(lines)]

/** Chooses the run that the report shows: a red one, if possible one that hung or failed before the fault. */
function chooseShown(ends: RunEnds): EndedRun {
  const red = ends.filter(isRed)
  const odd = red.find(({ isTimedOut, recorder }) => isTimedOut || !recorder.target)
  return odd ?? red.at(-1) ?? ends[0]
}

function toOutcome({ code, isTimedOut, recorder }: EndedRun, plain: BaselineRun): RunOutcome {
  const { target, requests } = recorder
  const hasSucceeded = target !== undefined && hasGoodResponse(plain, requests, target)
  return { code, isTimedOut, wasApplied: target !== undefined, hasSucceeded }
}

/** Lists the findings on the client that the baseline run does not have: `retry: createEvent: retry-after: ...`. */
function listClientFindings(report: FindingsReport, plain: FindingsReport): string[] {
  const known = new Set(listSentences(plain))
  return listSentences(report).filter((sentence) => !known.has(sentence))
}

function listSentences(report: FindingsReport): string[] {
  return describeFindings(report)
    .filter(({ kind }) => kind !== 'advice')
    .map(({ line }) => line)
}
