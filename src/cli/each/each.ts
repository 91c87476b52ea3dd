import { failure, type Result, success } from '../../core/result.ts'
import type { FindingsReport } from '../../reports/report.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import { chooseRuns } from '../../suites/choose-runs.ts'
import { listClientFindings } from '../../suites/client-findings.ts'
import { renderSuiteReport } from '../../suites/formats/index.ts'
import { renderText } from '../../suites/formats/text.ts'
import { judgeRequests, judgeSuite } from '../../suites/judge-suite.ts'
import { parseSuiteFailOn, type SuiteGate } from '../../suites/parse-suite-fail-on.ts'
import type { PlannedRun, SuitePlan } from '../../suites/plan.ts'
import {
  countByOperation,
  describeNothing,
  type JudgedRun,
  type SuiteReport,
} from '../../suites/suite-report.ts'
import { judgeRun } from '../../suites/verdict.ts'
import {
  type AttemptOutcome,
  attemptSuite,
  deadlineAfter,
  type EachDeps,
  type EachOptions,
  findTerminal,
  limitRun,
  type SuiteAttempt,
} from './attempt.ts'
import { type EndedRun, prepareRun } from './faulty-run.ts'
import { loadFaults, planSuite } from './load-faults.ts'
import { makeRuns } from './make-runs.ts'
import { type PlainRun, recordPlainRuns, type UntriableSuite } from './plain-runs.ts'
import { createProgress } from './progress.ts'
import { describeRepeat } from './repeat-command.ts'
import { repeatPlainRun } from './repeat-plain-run.ts'

/**
 * Runs the command once for each fault at each place where its requests go, and prints and writes the report. Returns the exit code: that
 * of the command if it fails without faults, 1 if it cannot be tried or no fault was, 3 for a condition of `--fail-on`, 128 + n after signal n.
 */
export function tryFaults(options: EachOptions, deps: EachDeps): Promise<number> {
  return attemptSuite(options, deps, trySuite)
}

/** Checks the settings, records the runs without faults, plans, and makes the runs. */
async function trySuite(attempt: SuiteAttempt): Promise<Result<AttemptOutcome, UntriableSuite>> {
  const { settings, deps, runDeps } = attempt
  const faults = await loadFaults(settings)
  if (!faults.ok) return failure({ code: 1, lines: [], findings: faults.error })
  const deadline = deadlineAfter(settings.time, deps.elapsed)
  const plain = await recordPlainRuns(runDeps)
  if (!plain.ok) return plain
  const plan = planSuite(plain.value.requests, faults.value)
  if (!plan.ok) return failure({ code: 1, lines: [`convsim: ${plan.error}`] })
  const report = await runPlan(attempt, plan.value, plain.value, deadline)
  return report.ok ? success(toOutcome(report.value)) : report
}

/** Makes the runs of a plan within their bounds, and reports on them. */
async function runPlan(
  { settings, deps, runDeps, stop }: SuiteAttempt,
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
  const findings: FindingsReport[] = []
  const failOn = parseSuiteFailOn(settings.failOn ?? '') ?? []
  const progress = createProgress(findTerminal(deps), chosen.length, elapsed, deadline)
  progress.update([])
  const limitMs = limitRun(settings, plain.ms)
  const made = await makeRuns(chosen, runDeps, {
    jobs: settings.jobs,
    limitMs,
    isStopped: () => stop.code !== undefined,
    prepare: (run) => prepareRun(runDeps, run),
    isOver: () => stop.code !== undefined || (deadline !== undefined && elapsed() >= deadline),
    onEnd: (run, ended) => {
      judged.set(run, judge(run, ended, plain, failOn))
      findings.push(ended.findings)
      progress.update([...judged.values()])
    },
  })
  progress.clear()
  if (!made.ok) return failure({ code: 1, lines: [], findings: made.error })
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : unreached(run)))
  const notMade = reachable.length - judged.size
  const early = stop.code !== undefined ? 'interrupt' : judged.size < chosen.length ? 'time' : 'max-runs'
  const last =
    stop.code === undefined && judged.size > 0 ? await repeatPlainRun(runDeps, plain, limitMs) : success([])
  if (!last.ok) return failure({ code: 1, lines: [], findings: last.error })
  return success({
    contract: plain.report.contract,
    run: { ...plain.report.run, command: describeCommand(runDeps.command) },
    plainCounts: countByOperation(plain.requests),
    limitMs,
    runs,
    notMade,
    earlyEnd: notMade > 0 ? early : undefined,
    equivalent: plan.equivalent,
    leftOut: plan.leftOut,
    changes: stop.code === undefined ? last.value : [],
    repeat: (name) => describeRepeat(['--only', name], settings, runDeps.command),
    failOn,
    failed: judgeSuite(runs, plain.report, findings, failOn),
    plainFailed: judgeSuite([], plain.report, [], failOn),
  })
}

function judge(run: PlannedRun, ended: EndedRun, plain: PlainRun, failOn: readonly SuiteGate[]): JudgedRun {
  const { recorder, code, ms, lastLines, findings } = ended
  return {
    run,
    verdict: judgeRun(run, ended, recorder.wasMet),
    wasMet: recorder.wasMet,
    code,
    ms,
    client: listClientFindings(findings, plain.report),
    failed: judgeRequests(findings, failOn),
    lastLines,
    requests: recorder.listLastLines(),
  }
}

function unreached(run: PlannedRun): JudgedRun {
  const nothing = { client: [], failed: [], lastLines: [], requests: [] }
  return { run, verdict: 'not-reached', wasMet: false, code: undefined, ms: 0, ...nothing }
}

function toOutcome(report: SuiteReport): AttemptOutcome {
  return {
    text: renderText(report),
    render: (format) => renderSuiteReport(format, report),
    failed: report.failed,
    problem: describeNothing(report),
  }
}
