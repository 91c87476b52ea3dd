import { parseDuration } from '../../core/instant.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import { createTempFolder } from '../../process/temp-folder.ts'
import { describeCommand } from '../../reports/reported-run.ts'
import {
  type AttemptOutcome,
  attemptSuite,
  deadlineAfter,
  type EachDeps,
  findTerminal,
  limitRun,
  type SuiteAttempt,
} from '../each/attempt.ts'
import { recordPlainRuns, type UntriableSuite } from '../each/plain-runs.ts'
import { describeRepeat } from '../each/repeat-command.ts'
import { repeatPlainRun } from '../each/repeat-plain-run.ts'
import { parseSuiteFailOn } from '../parse-suite-fail-on.ts'
import { countByOperation } from '../report/suite-report.ts'
import type { ExecLine } from '../settings.ts'
import { listPlaces } from './candidate.ts'
import { CandidateRuns } from './candidate-runs.ts'
import { renderHuntReport } from './formats/index.ts'
import { renderHuntText } from './formats/text.ts'
import { type HuntCatch, type HuntContext, type HuntOutcome, huntCandidates } from './hunt-candidates.ts'
import { huntFile, writeHuntFile } from './hunt-file.ts'
import { type HuntFinding, type HuntReport, redPlainRun } from './hunt-report.ts'
import { judgeHunt } from './judge-hunt.ts'
import { loadHunt } from './load-hunt.ts'
import { createHuntProgress } from './progress.ts'

/**
 * Runs the command under combinations of faults until one breaks it, shrinks that one, and prints and writes the report. Returns the exit
 * code: that of the command if it fails without faults, 1 if it cannot be tried, 3 for a condition of `--fail-on`, 128 + n after signal n.
 */
export function huntFaults(options: ExecLine, deps: EachDeps): Promise<number> {
  return attemptSuite(options, deps, hunt)
}

/** The time of a hunt that has neither a time nor a number of runs. */
const defaultTime = '2m'

/** Checks the settings, records the runs without faults, and hunts. */
async function hunt(attempt: SuiteAttempt): Promise<Result<AttemptOutcome, UntriableSuite>> {
  const { settings, deps, runDeps } = attempt
  const loaded = await loadHunt(settings)
  if (!loaded.ok) return failure({ code: 1, lines: [], findings: loaded.error })
  const limit = settings.time ?? (settings.maxRuns === undefined ? defaultTime : undefined)
  const deadline = deadlineAfter(limit, deps.elapsed)
  const plain = await recordPlainRuns(runDeps)
  if (!plain.ok) return plain
  const places = listPlaces(plain.value.requests)
  if (places.length === 0) return failure({ code: 1, lines: [noPlace] })
  const limitMs = limitRun(settings, plain.value.ms)
  const folder = await createTempFolder('hunt', deps.host)
  const runs = new CandidateRuns(runDeps, limitMs, folder)
  const progress = createHuntProgress(findTerminal(deps), deps.elapsed, deadline)
  const shrinkMs = parseDuration(limit ?? defaultTime) ?? 0
  const context: HuntContext = {
    attempt,
    plain: plain.value,
    ...loaded.value,
    places,
    limitMs,
    deadline,
    shrinkMs,
    runs,
    progress,
  }
  try {
    const hunted = await huntCandidates(context)
    if (!hunted.ok) return failure({ code: 1, lines: [], findings: hunted.error })
    const checked = await checkWithoutFaults(context, hunted.value)
    if (!checked.ok) return failure({ code: 1, lines: [], findings: checked.error })
    return success(await toOutcome(context, checked.value))
  } finally {
    progress.clear()
    await folder.remove()
  }
}

const noPlace =
  'convsim: no request of the command can meet a fault: none got the ordinary answer of an operation.'

/** The outcome of a hunt that was held against a further run without faults. */
interface CheckedHunt extends HuntOutcome {
  /** See `SuiteReport.changes`. */
  readonly changes: readonly string[]
}

/** Runs the command without faults after it broke: if it fails then, too, nothing was found. */
async function checkWithoutFaults(
  { attempt, plain, limitMs, progress }: HuntContext,
  hunted: HuntOutcome,
): Promise<Result<CheckedHunt, Findings>> {
  const { changes } = plain
  progress.clear()
  if (!hunted.found || attempt.runDeps.isStopped()) return success({ ...hunted, changes })
  const check = await repeatPlainRun(attempt.runDeps, plain, limitMs, 'at the end')
  if (!check.ok) return check
  if (attempt.runDeps.isStopped()) return success({ ...hunted, changes })
  const all = { ...hunted, changes: [...changes, ...check.value.changes] }
  return success(check.value.hasFailed ? { ...all, end: 'red-plain-run', found: undefined } : all)
}

/** Writes the file of scenarios, and reports on the hunt. */
async function toOutcome(
  { attempt, plain, faults, limitMs }: HuntContext,
  { counts, unrepeatable, neverSucceeded, end, changes, found, findings }: CheckedHunt,
): Promise<AttemptOutcome> {
  const { settings, runDeps } = attempt
  const finding = found && (await writeFinding(found, attempt))
  const failOn = parseSuiteFailOn(settings.failOn ?? defaultFailOn) ?? []
  const { contract, run } = plain.report
  const outcome = { counts, neverSucceeded, finding: finding?.value }
  const report: HuntReport = {
    contract,
    run: { ...run, command: describeCommand(runDeps.command) },
    plainCounts: countByOperation(plain.requests),
    limitMs,
    ...outcome,
    scenarios: faults.map(({ scenario }) => scenario.text),
    unrepeatable,
    end,
    changes,
    failed: judgeHunt(outcome, plain.report, findings, failOn),
  }
  return {
    text: renderHuntText(report),
    render: (format) => renderHuntReport(format, report),
    failed: report.failed,
    problem: end === 'red-plain-run' ? redPlainRun : finding?.problem,
  }
}

/** The conditions of a hunt that names none: what it has found is a failure. */
const defaultFailOn = 'not-resilient,hung'

async function writeFinding(
  { drawn, shrunk }: HuntCatch,
  { settings, runDeps }: SuiteAttempt,
): Promise<{ readonly value: HuntFinding; readonly problem: string | undefined }> {
  const { candidate, ended, needed, certainty, tally, runs } = shrunk
  const repeat = describeRepeat(['--scenarios', huntFile], settings, runDeps.command)
  const problem = await writeHuntFile(candidate, repeat)
  const value: HuntFinding = {
    verdict: ended.isTimedOut ? 'hung' : 'broke',
    code: ended.code,
    candidate,
    drawn,
    needed,
    shrinkingRuns: runs,
    certainty,
    tally,
    file: problem === undefined ? huntFile : undefined,
    repeat,
    lastLines: ended.lastLines,
    requests: ended.recorder.listLastLines(),
  }
  return { value, problem }
}
