/**
 * Runs a test suite once per fault and target. Start reading at `tryFaults`. `plan/` plans the runs, `runs/` executes
 * the command, and `report/` judges the runs.
 */
import { type CommandContext, endSoon, printStartProblems } from '../../command-line/process/command.ts'
import { writeReports } from '../../command-line/serve/finish.ts'
import { findReportProblem, parseReportTargets, renderReport } from '../../server/reports/formats/index.ts'
import { renderText } from '../../server/reports/page/text.ts'
import type { FindingsReport } from '../../server/reports/report.ts'
import { loadInputs } from '../../server/simulator/loaded-inputs.ts'
import { parseFaultSet, parseRunName } from './plan/fault-set.ts'
import { chooseRuns, nameRun, type PlannedRun, planRuns, type SuitePlan } from './plan/plan.ts'
import { type JudgedRun, judgeRun, judgeSuite, mustRepeat } from './report/judge-run.ts'
import { toSuitePage } from './report/suite-page.ts'
import { describeProblem, describeProgress, type SuiteReport } from './report/suite-report.ts'
import { type Baseline, checkBaseline, recordBaseline } from './runs/baseline.ts'
import { executeRun, isOver, openSuite, refuseStart, type TestSuite, UntestableSuite } from './runs/execute-run.ts'
import { isRed } from './runs/run-command.ts'
import type { EachLine } from './settings.ts'

export async function each(line: EachLine, context: CommandContext): Promise<number> {
  const suite = await openSuite(line, context)
  try {
    return endSoon(context.host, await finishSuite(suite, await tryFaults(suite)))
  } catch (error) {
    suite.line.clear()
    if (!(error instanceof UntestableSuite)) throw error
    return endSoon(context.host, finishUntestable(suite, error))
  }
}

interface Trials {
  readonly judged: Map<PlannedRun, JudgedRun>
  readonly findings: FindingsReport[]
  readonly changes: string[]
  /**
   * The number of run pairs (without and with the fault) that must confirm `broke`. With two pairs, a suite that fails
   * at random in 1 of 5 runs gets a false `broke` for 0.2^4 * 0.8^2 = 0.1% of faults, or in 2% of reports on 20 faults.
   */
  readonly confirmations: number
}

/** The maximum number of planned runs between two checks of the baseline. */
const batchSize = 20

async function tryFaults(suite: TestSuite): Promise<SuiteReport> {
  const chosenFaults = await loadFaults(suite)
  const baseline = await recordBaseline(suite)
  const planned = planRuns(baseline.requests, chosenFaults)
  if (!planned.ok) throw new UntestableSuite([`convsim: ${planned.error}`])
  const plan = planned.value
  const pending = chooseRuns(plan.runs, suite.settings)
  const confirmations = pending.length > 20 ? 3 : 2
  const trials: Trials = { judged: new Map(), findings: [], changes: [...baseline.changes], confirmations }
  const { judged, changes } = trials
  const startedAt = suite.elapsed()
  for (let start = 0; start < pending.length && !isOver(suite); start += batchSize) {
    const batch = pending.slice(start, start + batchSize)
    await runInParallel(suite, batch, async (run) => {
      const times = { elapsedMs: suite.elapsed() - startedAt, untilDeadlineMs: suite.deadline - suite.elapsed() }
      suite.line.show(describeProgress([...judged.values()], pending.length, times))
      await tryFault(suite, run, baseline, trials)
    })
    suite.line.clear()
    if (judged.size === 0 || suite.stopped.aborted) break
    const isLast = isOver(suite) || start + batchSize >= pending.length
    const check = await checkBaseline(suite, baseline, isLast ? 'at the end' : `after ${judged.size} runs`)
    changes.push(...check.changes)
    if (check.hasFailed) return createReport(suite, plan, baseline, dropRedRuns(trials, batch), 'red-baseline-run')
  }
  return createReport(suite, plan, baseline, trials)
}

/**
 * Runs the command with a fault, and again if the first run needs confirmation. The verdict `broke` also needs
 * further red runs with the fault, each after a green run without faults. A run that is interrupted gets no verdict.
 */
async function tryFault(suite: TestSuite, run: PlannedRun, baseline: Baseline, trials: Trials): Promise<void> {
  const options = { run, limitMs: baseline.limitMs }
  const attempts = [await executeRun(suite, options)]
  const judge = () => judgeRun(run, attempts, baseline, suite.failOn)
  if (!suite.stopped.aborted && mustRepeat(judge())) attempts.push(await executeRun(suite, options))
  let isConfirmed = true
  for (let left = trials.confirmations; left > 0 && isConfirmed && judge().verdict === 'broke'; left -= 1) {
    if (suite.stopped.aborted) return
    const withoutFault = await executeRun(suite, { limitMs: baseline.limitMs })
    if (suite.stopped.aborted) return
    isConfirmed = !isRed(withoutFault)
    if (isConfirmed) attempts.push(await executeRun(suite, options))
    else trials.changes.push(`between runs of ${nameRun(run)}, the command failed without faults`)
  }
  if (suite.stopped.aborted) return
  trials.judged.set(run, judgeRun(run, attempts, baseline, suite.failOn, isConfirmed))
  trials.findings.push(...attempts.map(({ findings }) => findings))
}

/** Executes runs in parallel (`--jobs`) until none is left or the suite is over. Throws only after all workers end. */
async function runInParallel(
  suite: TestSuite,
  runs: readonly PlannedRun[],
  execute: (run: PlannedRun) => Promise<void>,
): Promise<void> {
  const pending = runs.values()
  const worker = async () => {
    for (const run of pending) {
      if (isOver(suite)) return
      await execute(run)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: suite.settings.jobs }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Drops the red runs in a batch, which are inconclusive because the command also fails without faults. */
function dropRedRuns(trials: Trials, batch: readonly PlannedRun[]): Trials {
  const kept = [...trials.judged].filter(([run, judged]) => !isRed(judged) || !batch.includes(run))
  return { ...trials, judged: new Map(kept) }
}

/** Checks `--report` and parses `--set` or `--only`. Returns the faults to inject and, for `--only`, the named run. */
async function loadFaults({ settings, output }: TestSuite) {
  const problem = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [])
  if (problem) throw refuseStart([problem])
  const inputs = await loadInputs(settings)
  if (!inputs.ok) throw refuseStart(inputs.error)
  const { contract, catalogue } = inputs.value
  const context = { catalogue, operations: contract.operations }
  if (settings.only !== undefined) {
    const named = parseRunName(settings.only, context)
    if (!named.ok) throw refuseStart([{ severity: 'error', place: '--only', message: named.error }])
    return { faults: [named.value.fault], only: named.value }
  }
  const parsed = parseFaultSet(settings.set, context)
  if (!parsed.ok) throw refuseStart([{ severity: 'error', place: '--set', message: parsed.error }])
  const { faults, inapplicable } = parsed.value
  if (inapplicable.length > 0)
    output.printLine(`convsim: skipped faults that apply to no operation in the contract: ${inapplicable.join(', ')}.`)
  return { faults }
}

function createReport(
  suite: TestSuite,
  plan: SuitePlan,
  baseline: Baseline,
  { judged, findings, changes }: Trials,
  earlyEnd?: SuiteReport['earlyEnd'],
): SuiteReport {
  const unreached = plan.runs.filter(({ isReachable }) => !isReachable)
  const all = new Map([...judged, ...unreached.map((run) => [run, judgeRun(run, [], baseline, [])] as const)])
  const runs = plan.runs.flatMap((run) => all.get(run) ?? [])
  const notMade = plan.runs.length - runs.length
  const failed = judgeSuite(runs, baseline.report, findings, suite.failOn)
  const reason = earlyEnd ?? findEarlyEnd(suite, judged.size, notMade)
  return { suite, baseline, plan, runs, notMade, earlyEnd: reason, changes, failed }
}

function findEarlyEnd({ settings, stopped }: TestSuite, made: number, notMade: number): SuiteReport['earlyEnd'] {
  if (notMade === 0) return undefined
  if (stopped.aborted) return 'interrupt'
  return made < (settings.maxRuns ?? Number.POSITIVE_INFINITY) ? 'time' : 'max-runs'
}

/**
 * Prints the report and writes its files. Returns the exit code: 128 + n after signal n, 3 if a `--fail-on`
 * condition is met, 1 if a file cannot be written or `describeProblem` finds a problem, else 0.
 */
async function finishSuite({ settings, signals, output, print }: TestSuite, report: SuiteReport): Promise<number> {
  const { isJson, printLine } = output
  const { failed } = report
  const problem = describeProblem(report)
  const page = toSuitePage(report)
  const text = renderText(page).trimEnd()
  if (!isJson) print(text)
  else for (const line of text.split('\n').filter((part) => part !== '')) printLine(line)
  if (failed.length > 0 && settings.failOn !== undefined)
    printLine(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  if (problem !== undefined) printLine(`convsim: ${problem}`, 'error')
  const isWritten = await writeReports(settings.report, (format) => renderReport(format, page), printLine)
  if (signals.code !== undefined) return signals.code
  if (failed.length > 0) return 3
  return isWritten && problem === undefined ? 0 : 1
}

/** Prints why a suite cannot be tested. Returns 128 + n after signal n, or else the exit code in `reason`. */
function finishUntestable({ signals, output, variables }: TestSuite, reason: UntestableSuite): number {
  const { code, lines, findings } = reason
  if (signals.code !== undefined) {
    output.printLine('convsim: interrupted before the first run with a fault.', 'error')
    return signals.code
  }
  if (findings.length > 0) printStartProblems(findings, variables, output)
  else for (const line of lines) output.printLine(line, 'error')
  return code
}
