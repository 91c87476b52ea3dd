import { parseDuration } from '../../core/instant.ts'
import { failure, type Result } from '../../core/result.ts'
import type { CommandContext } from '../../process/command.ts'
import { writeReports } from '../../process/finish.ts'
import { type Output, printStartProblems } from '../../process/output.ts'
import type { StopSignals } from '../../process/stop-signals.ts'
import type { ReportFormat } from '../../reports/formats/report-format.ts'
import { findReportProblem } from '../../reports/report-file.ts'
import { parseReportTargets } from '../../reports/report-target.ts'
import type { ExecLine, ExecSettings } from '../settings.ts'
import type { RunDeps } from './faulty-run.ts'
import type { UntriableSuite } from './plain-runs.ts'
import { RunningCommands } from './running-commands.ts'
import { createKillGroup } from './suite-command.ts'

/** The process that tries the command. */
export interface EachDeps extends CommandContext {
  readonly output: Output
}

/** An attempt to try a suite: its settings, and the things that its runs share. */
export interface SuiteAttempt {
  readonly settings: ExecSettings
  readonly deps: EachDeps
  readonly runDeps: RunDeps
  /** `code`: the exit code of an attempt that a signal has stopped; undefined: none came. */
  readonly stop: Pick<StopSignals, 'code'>
}

/** The outcome of an attempt, ready to be shown. */
export interface AttemptOutcome {
  /** The report as text. */
  readonly text: string
  /** Renders the report for a file of `--report`. */
  readonly render: (format: ReportFormat) => string
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
  /** The reason why the outcome is not whole, such as that no fault was tried; undefined: it is. */
  readonly problem: string | undefined
}

/**
 * Tries a suite, and finishes with the outcome. Returns the exit code: see `finishAttempt`, or that of the command if it fails without
 * faults, 1 if it cannot be tried, 128 + n after signal n.
 */
export async function attemptSuite(
  options: ExecLine,
  deps: EachDeps,
  tryIt: (attempt: SuiteAttempt) => Promise<Result<AttemptOutcome, UntriableSuite>>,
): Promise<number> {
  const { files: command } = options
  const { host, signals: stop, output, now, elapsed } = deps
  const running = new RunningCommands()
  stop.onStop(() => running.stop())
  host.once('exit', () => running.stop())
  const settings = { ...options.settings, clock: freezeClock(options.settings, now()) }
  const runDeps: RunDeps = {
    settings,
    command,
    env: host.env,
    dependencies: { now, log: output.log },
    killGroup: createKillGroup(host),
    elapsed,
    terminal: findTerminal(deps),
    running,
    isStopped: () => stop.code !== undefined,
  }
  const attempt = { settings, deps, runDeps, stop }
  const unwritable = await findReportProblem(parseReportTargets(settings.report ?? '') ?? [])
  const outcome = unwritable ? failure({ code: 1, lines: [], findings: [unwritable] }) : await tryIt(attempt)
  if (outcome.ok) return finishAttempt(outcome.value, attempt)
  if (stop.code === undefined) return printUntriable(outcome.error, options, output)
  output.printLine('convsim: interrupted before the first run with a fault.', 'error')
  return stop.code
}

/** Returns the value of `--clock` for all runs and their repetitions: the real time is that of the first run, in seconds. `now`: epoch milliseconds. */
function freezeClock({ clock }: ExecSettings, now: number): string {
  return clock === 'real' ? new Date(now).toISOString().replace(/\.\d+Z$/, 'Z') : clock
}

/** Prints the reason why the suite cannot be tried, and returns the exit code. */
function printUntriable(
  { code, lines, findings }: UntriableSuite,
  { variables }: ExecLine,
  output: Output,
): number {
  if (findings) printStartProblems(findings, variables, output)
  for (const line of lines) output.printLine(line, 'error')
  return code
}

/** Returns the time that is a limit after now, by `elapsed`; undefined: never. */
export function deadlineAfter(limit: string | undefined, elapsed: () => number): number | undefined {
  const ms = parseDuration(limit ?? '')
  return ms === undefined ? undefined : elapsed() + ms
}

/** The default of `--run-timeout`: this many times the run without faults, and at least so many milliseconds. */
const limitFactor = 10
const minLimitMs = 10_000

/** Returns the time limit of a run, milliseconds. `plainMs`: the duration of the run without faults. */
export function limitRun({ runTimeout }: ExecSettings, plainMs: number): number {
  return parseDuration(runTimeout ?? '') ?? Math.max(minLimitMs, limitFactor * plainMs)
}

/** Returns the function that writes to the terminal; undefined: there is none, or it shows JSON. */
export function findTerminal({ host, output }: EachDeps): ((text: string) => void) | undefined {
  if (!host.stderr.isTTY || output.isJson) return undefined
  return (text) => void host.stderr.write(text)
}

/**
 * Prints the report of an attempt and writes its files. Returns the exit code: 128 + n after signal n, 3 if a condition is met, 1 if a file
 * cannot be written or there is a problem, else 0.
 */
async function finishAttempt(
  { text, render, failed, problem }: AttemptOutcome,
  { settings, deps, stop }: SuiteAttempt,
): Promise<number> {
  const { printLine } = deps.output
  printReport(text, deps)
  if (failed.length > 0) printLine(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  if (problem !== undefined) printLine(`convsim: ${problem}`, 'error')
  const isWritten = await writeReports(settings.report, render, printLine)
  if (stop.code !== undefined) return stop.code
  if (failed.length > 0) return 3
  return isWritten && problem === undefined ? 0 : 1
}

/** Prints a report on stdout; with `--log-format json` all output is JSON, one object for each line. */
function printReport(text: string, { output, print }: EachDeps): void {
  const trimmed = text.trimEnd()
  if (output.isJson)
    for (const line of trimmed.split('\n').filter((one) => one !== '')) output.printLine(line)
  else print(trimmed)
}
