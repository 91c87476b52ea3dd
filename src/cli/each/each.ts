import { parseDuration } from '../../core/instant.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { findReportProblem } from '../../reports/report-file.ts'
import { parseReportTargets } from '../../reports/report-target.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import { chooseRuns } from '../../suites/choose-runs.ts'
import { listClientFindings } from '../../suites/client-findings.ts'
import { renderSuiteReport } from '../../suites/formats/index.ts'
import { renderText } from '../../suites/formats/text.ts'
import { judgeSuite } from '../../suites/judge-suite.ts'
import { parseSuiteFailOn } from '../../suites/parse-suite-fail-on.ts'
import type { PlannedRun, SuitePlan } from '../../suites/plan.ts'
import { countByOperation, type JudgedRun, type SuiteReport } from '../../suites/suite-report.ts'
import { judgeRun } from '../../suites/verdict.ts'
import { writeReports } from '../finish.ts'
import { type Output, printStartProblems } from '../output.ts'
import { describeStartProblems } from '../start-problem.ts'
import type { EndedRun, RunDeps } from './faulty-run.ts'
import { loadFaults, planSuite } from './load-faults.ts'
import { makeRuns } from './make-runs.ts'
import { type PlainRun, recordPlainRuns, type UntriableSuite } from './plain-runs.ts'
import { createProgress } from './progress.ts'
import { createRepeat } from './repeat-command.ts'
import { listenForStop, type StopRequest } from './stop-request.ts'
import { createKillGroup } from './suite-command.ts'

/** The invocation of `exec` with `--each` or `--only`. */
export interface EachOptions {
  readonly settings: RunDeps['settings']
  /** The file of the command, and its arguments. */
  readonly files: readonly string[]
  /** The environment variables that gave settings, by flag. */
  readonly variables: ReadonlyMap<string, string>
}

/** The process that tries the command. */
export interface EachDeps {
  /** Returns epoch milliseconds. */
  readonly now: () => number
  readonly host: NodeJS.Process
  readonly output: Output
  /** Prints a text on stdout. */
  readonly print: (text: string) => void
  /** Returns the milliseconds since the process began. */
  readonly elapsed: () => number
}

/**
 * Runs the command once for each fault at each place where its requests go, and prints and writes the report. Returns the exit code: that
 * of the command if it fails without faults, 1 if it cannot be tried, 3 for a condition of `--fail-on`, 128 + n after signal n.
 */
export async function tryFaults(options: EachOptions, deps: EachDeps): Promise<number> {
  const { settings, files: command } = options
  const { host, output, now, elapsed } = deps
  const runDeps: RunDeps = {
    settings,
    command,
    env: host.env,
    dependencies: { now, log: output.log, fatal: endWith(host, output) },
    killGroup: createKillGroup(host),
    elapsed,
    running: new Set(),
  }
  const stop = listenForStop(host, runDeps.running)
  try {
    const outcome = await makeReport({ settings, deps, runDeps, stop })
    if (outcome.ok) return await finishSuite(outcome.value, { options, deps, stop })
    if (stop.code === undefined) return printUntriable(outcome.error, options, output)
    output.printLine('convsim: interrupted before the first run with a fault.', 'error')
    return stop.code
  } finally {
    stop.release()
  }
}

/** Creates the function that ends the process, since the state of a simulator is wrong. */
function endWith(host: NodeJS.Process, { log }: Output): (problem: string) => never {
  return (problem) => {
    log.error({ problem }, 'the process ends, since the state of a simulator is wrong')
    return host.exit(1)
  }
}

/** Prints the reason why the suite cannot be tried, and returns the exit code. */
function printUntriable(
  { code, lines, findings }: UntriableSuite,
  { variables }: EachOptions,
  output: Output,
): number {
  if (findings) printStartProblems(describeStartProblems(findings, variables), output)
  for (const line of lines) output.printLine(line, 'error')
  return code
}

interface Attempt {
  readonly settings: RunDeps['settings']
  readonly deps: EachDeps
  readonly runDeps: RunDeps
  readonly stop: StopRequest
}

/** Checks the settings, records the runs without faults, plans, and makes the runs. */
async function makeReport(attempt: Attempt): Promise<Result<SuiteReport, UntriableSuite>> {
  const { settings, deps, runDeps } = attempt
  const unwritable = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [])
  if (unwritable) return failure({ code: 1, lines: [], findings: [unwritable] })
  const faults = await loadFaults(settings)
  if (!faults.ok) return failure({ code: 1, lines: [], findings: faults.error })
  const deadline = deadlineOf(settings, deps.elapsed)
  const plain = await recordPlainRuns(runDeps)
  if (!plain.ok) return plain
  const plan = planSuite(plain.value.requests, faults.value)
  if (!plan.ok) return failure({ code: 1, lines: [`convsim: ${plan.error}`] })
  return runPlan(attempt, plan.value, plain.value, deadline)
}

/** Returns the time at which `--time` ends the runs, by `elapsed`; undefined: never. */
function deadlineOf({ time }: RunDeps['settings'], elapsed: () => number): number | undefined {
  const limit = parseDuration(time ?? '')
  return limit === undefined ? undefined : elapsed() + limit
}

/** Makes the runs of a plan within their bounds, and reports on them. */
async function runPlan(
  { settings, deps, runDeps, stop }: Attempt,
  plan: SuitePlan,
  plain: PlainRun,
  deadline: number | undefined,
): Promise<Result<SuiteReport, UntriableSuite>> {
  const { elapsed } = deps
  const reachable = plan.runs.filter(({ isReachable }) => isReachable)
  const chosen = chooseRuns(reachable, {
    seed: settings.seed,
    maxRuns: settings.maxRuns,
    hasTimeLimit: deadline !== undefined,
    sampleFirst: settings.sampleFirst,
  })
  const judged = new Map<PlannedRun, JudgedRun>()
  const reports = [plain.report]
  const progress = createProgress(findTerminal(deps), chosen.length, elapsed, deadline)
  progress.update([])
  const limitMs = parseDuration(settings.runTimeout ?? '') ?? Math.max(minLimitMs, limitFactor * plain.ms)
  const made = await makeRuns(chosen, runDeps, {
    jobs: settings.jobs,
    limitMs,
    isStopped: () => stop.code !== undefined,
    isOver: () => stop.code !== undefined || (deadline !== undefined && elapsed() >= deadline),
    onEnd: (run, ended) => {
      judged.set(run, judge(run, ended, plain))
      reports.push({ ...ended.report, coverage: plain.report.coverage }) // a coverage for each run would fill the memory
      progress.update([...judged.values()])
    },
  })
  progress.clear()
  if (!made.ok) return failure({ code: 1, lines: [], findings: made.error })
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : unreached(run)))
  const failOn = parseSuiteFailOn(settings.failOn ?? '') ?? []
  const notMade = reachable.length - judged.size
  const early = stop.code !== undefined ? 'interrupt' : judged.size < chosen.length ? 'time' : 'max-runs'
  return success({
    contract: plain.report.contract,
    run: { ...plain.report.run, command: describeCommand(runDeps.command) },
    plainCounts: countByOperation(plain.requests),
    limitMs,
    runs,
    notMade,
    earlyEnd: notMade > 0 ? early : undefined,
    equivalent: plan.equivalent,
    repeat: createRepeat(settings, runDeps.command),
    failOn,
    failed: judgeSuite(runs, reports, failOn),
  })
}

/** The number of requests of a run that the report has: the last ones. */
const maxRequests = 200

/** The default of `--run-timeout`: this many times the run without faults, and at least so many milliseconds. */
const limitFactor = 10
const minLimitMs = 10_000

function findTerminal({ host, output }: EachDeps): ((text: string) => void) | undefined {
  if (!host.stderr.isTTY || output.isJson) return undefined
  return (text) => void host.stderr.write(text)
}

function judge(run: PlannedRun, ended: EndedRun, plain: PlainRun): JudgedRun {
  const { recorder, code, lastLines, report } = ended
  return {
    run,
    verdict: judgeRun(run, ended, recorder.wasMet),
    code,
    client: listClientFindings(report, plain.report),
    lastLines,
    requests: recorder.requests.slice(-maxRequests).map(({ line }) => line),
  }
}

function unreached(run: PlannedRun): JudgedRun {
  return { run, verdict: 'not-reached', code: undefined, client: [], lastLines: [], requests: [] }
}

/** Prints the report, writes its files, and returns the exit code. */
async function finishSuite(
  report: SuiteReport,
  { options, deps, stop }: Pick<Attempt, 'deps' | 'stop'> & { readonly options: EachOptions },
): Promise<number> {
  const { print, output } = deps
  const text = renderText(report).trimEnd()
  // With --log-format json all output is JSON, one object for each line.
  if (output.isJson) for (const line of text.split('\n').filter((one) => one !== '')) output.printLine(line)
  else print(text)
  if (report.failed.length > 0) output.printLine(`convsim: --fail-on: ${report.failed.join('; ')}.`, 'error')
  const isWritten = await writeReports(
    options.settings.report,
    (format) => renderSuiteReport(format, report),
    output.printLine,
  )
  if (stop.code !== undefined) return stop.code
  if (report.failed.length > 0) return 3
  return isWritten ? 0 : 1
}
