import { failure, type Result, success } from '../../core/result.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import { parseSuiteFailOn } from '../parse-suite-fail-on.ts'
import { chooseRuns } from '../plan/choose-runs.ts'
import type { PlannedRun, SuitePlan } from '../plan/plan.ts'
import { renderSuiteReport } from '../report/formats/index.ts'
import { renderText } from '../report/formats/text.ts'
import { judgeSuite } from '../report/judge-suite.ts'
import {
  countByOperation,
  describeNothing,
  describeRedPlainRun,
  type JudgedRun,
  type SuiteReport,
} from '../report/suite-report.ts'
import type { ExecLine } from '../settings.ts'
import {
  type AttemptOutcome,
  attemptSuite,
  deadlineAfter,
  type EachDeps,
  limitRun,
  type SuiteAttempt,
} from './attempt.ts'
import { loadFaults, planSuite } from './load-faults.ts'
import { type PlainRun, recordPlainRuns, type UntriableSuite } from './plain-runs.ts'
import { describeRepeat } from './repeat-command.ts'
import { tryRuns } from './try-runs.ts'

/**
 * Runs the command once for each fault at each place where its requests go, and prints and writes the report. Returns the exit code: that
 * of the command if it fails without faults, 1 if it cannot be tried or no fault was, 3 for a condition of `--fail-on`, 128 + n after signal n.
 */
export function tryFaults(options: ExecLine, deps: EachDeps): Promise<number> {
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
  attempt: SuiteAttempt,
  plan: SuitePlan,
  plain: PlainRun,
  deadline: number | undefined,
): Promise<Result<SuiteReport, UntriableSuite>> {
  const { settings, runDeps, stop } = attempt
  const reachable = plan.runs.filter(({ isReachable }) => isReachable)
  const chosen = chooseRuns(reachable, {
    seed: settings.seed,
    maxRuns: settings.maxRuns,
    hasTimeLimit: deadline !== undefined,
  })
  const failOn = parseSuiteFailOn(settings.failOn ?? '') ?? []
  const limitMs = limitRun(settings, plain.ms)
  const made = await tryRuns(chosen, { attempt, plain, failOn, limitMs, deadline })
  if (!made.ok) return failure({ code: 1, lines: [], findings: made.error })
  const { judged, findings, changes, endedByPlainRun } = made.value
  const runs = plan.runs.flatMap((run) => judged.get(run) ?? (run.isReachable ? [] : unreached(run)))
  const notMade = reachable.length - judged.size
  const early = judged.size < chosen.length ? 'time' : 'max-runs'
  const stopped = stop.code === undefined ? early : 'interrupt'
  return success({
    contract: plain.report.contract,
    run: { ...plain.report.run, command: describeCommand(runDeps.command) },
    plainCounts: countByOperation(plain.requests),
    limitMs,
    runs,
    notMade,
    earlyEnd: endedByPlainRun ? 'red-plain-run' : notMade > 0 ? stopped : undefined,
    equivalent: plan.equivalent,
    leftOut: plan.leftOut,
    changes,
    repeat: (name) => describeRepeat(['--only', name], settings, runDeps.command),
    failOn,
    failed: judgeSuite(runs, plain.report, findings, failOn),
    plainFailed: judgeSuite([], plain.report, [], failOn),
  })
}

function unreached(run: PlannedRun): JudgedRun {
  const lists = { client: [], failed: [], lastLines: [], requests: [] }
  const nothing = { wasMet: false, answers: undefined, code: undefined, isTimedOut: false, ms: 0, ...lists }
  return { run, verdict: 'not-reached', made: 0, ...nothing }
}

function toOutcome(report: SuiteReport): AttemptOutcome {
  return {
    text: renderText(report),
    render: (format) => renderSuiteReport(format, report),
    failed: report.failed,
    problem: describeNothing(report) ?? describeRedPlainRun(report),
  }
}
