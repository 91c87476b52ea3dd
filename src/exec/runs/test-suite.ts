import { setMaxListeners } from 'node:events'
import { parseDuration } from '../../core/instant.ts'
import type { JsonObject } from '../../core/json.ts'
import { failure, type Result } from '../../core/result.ts'
import type { Findings } from '../../documents/finding.ts'
import type { CommandContext } from '../../process/command.ts'
import { type Output, printStartProblems } from '../../process/output.ts'
import { parseReportTargets, type ReportFormat, renderReport } from '../../reports/formats/index.ts'
import type { Page } from '../../reports/page/page.ts'
import { renderText } from '../../reports/page/text.ts'
import { findReportProblem } from '../../reports/report-file.ts'
import { writeReports } from '../../server/finish.ts'
import type { ExecLine } from '../settings.ts'
import { createStatusLine, type StatusLine } from './progress.ts'

/** The process that runs the command, with its output. */
export interface ExecContext extends CommandContext {
  readonly output: Output
}

/** A test suite that runs many times: its command, and the things that its runs share. */
export interface TestSuite extends ExecLine, ExecContext {
  /** Aborted by a signal, or at the end of the process: that ends the commands, so their ends say nothing. */
  readonly stopped: AbortSignal
  /** The time by `elapsed` after which no further run begins; `Infinity` without a limit. */
  readonly deadline: number
  /** The line of the terminal that shows the progress. */
  readonly line: StatusLine
}

/** The outcome of all runs, ready to be shown. */
export interface SuiteOutcome {
  /** The report, for a terminal and for the files of `--report`. */
  readonly page: Page
  readonly toJson: () => JsonObject
  /** A sentence for each condition of `--fail-on` that is met. */
  readonly failed: readonly string[]
  /** The reason why the outcome is not whole, such as that no fault was tried; undefined: it is. */
  readonly problem: string | undefined
}

/** The reason why a suite cannot be tried. */
export interface UntriableSuite {
  /** The exit code of the process. */
  readonly code: number
  /** The reason, and what differs or the output of the command. */
  readonly lines: readonly string[]
  /** The findings that prevent the start of a simulator; absent: it started. */
  readonly findings?: Findings
}

/** Returns the failure of a suite that cannot be tried for the reason in these lines. */
export const refuseSuite = (...lines: readonly string[]) => failure<UntriableSuite>({ code: 1, lines })

/** Returns the failure of a suite for which no simulator can start. */
export const refuseStart = (findings: Findings) => failure<UntriableSuite>({ code: 1, lines: [], findings })

/**
 * Tries a suite by each or by a hunt, prints the report and writes its files. Returns the exit code: 128 + n after
 * signal n, 3 if a condition is met, 1 if a file cannot be written or there is a problem, else 0. Returns that of the
 * command if it fails without faults, and 1 if it cannot be tried for another reason.
 */
export async function runSuite(
  line: ExecLine,
  deps: ExecContext,
  trySuite: (suite: TestSuite) => Promise<Result<SuiteOutcome, UntriableSuite>>,
): Promise<number> {
  const suite = openSuite(line, deps)
  const problem = await findReportProblem(parseReportTargets(suite.settings.report ?? '') ?? [])
  const outcome = problem ? refuseStart([problem]) : await trySuite(suite)
  return outcome.ok ? finishSuite(suite, outcome.value) : finishUntriable(suite, outcome.error)
}

/** Opens a suite: from then on a signal stops its runs. The time begins once the settings are checked. */
function openSuite(options: ExecLine, deps: ExecContext): TestSuite {
  const { host, signals, output, now } = deps
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // one for each of `--jobs`
  signals.onStop(() => stop.abort())
  host.once('exit', () => stop.abort())
  return {
    ...options,
    ...deps,
    settings: { ...options.settings, clock: freezeClock(options.settings.clock, now()) },
    stopped: stop.signal,
    deadline: Number.POSITIVE_INFINITY,
    line: createStatusLine(output.isJson ? undefined : host.stderr),
  }
}

/** Returns the value of `--clock` for all runs: the real time is that of the first run, in seconds. */
function freezeClock(clock: string, now: number): string {
  return clock === 'real' ? new Date(now).toISOString().replace(/\.\d+Z$/, 'Z') : clock
}

/** Returns the time that is a limit after now, by `elapsed`; `Infinity` without a limit. */
export function deadlineAfter(limit: string | undefined, elapsed: () => number): number {
  return elapsed() + (parseDuration(limit ?? '') ?? Number.POSITIVE_INFINITY)
}

/** Returns true once no further run may begin. */
export function isOver({ stopped, elapsed, deadline }: TestSuite): boolean {
  return stopped.aborted || elapsed() >= deadline
}

async function finishSuite(suite: TestSuite, { page, toJson, failed, problem }: SuiteOutcome): Promise<number> {
  const { settings, signals, output, print } = suite
  const { isJson, printLine } = output
  const report = renderText(page).trimEnd()
  if (!isJson) print(report)
  else for (const line of report.split('\n').filter((one) => one !== '')) printLine(line)
  if (failed.length > 0 && settings.failOn !== undefined)
    printLine(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  if (problem !== undefined) printLine(`convsim: ${problem}`, 'error')
  const render = (format: ReportFormat) => renderReport(format, () => page, toJson)
  const isWritten = await writeReports(settings.report, render, printLine)
  if (signals.code !== undefined) return signals.code
  if (failed.length > 0) return 3
  return isWritten && problem === undefined ? 0 : 1
}

function finishUntriable({ signals, output, variables }: TestSuite, reason: UntriableSuite): number {
  const { code, lines, findings } = reason
  if (signals.code !== undefined) {
    output.printLine('convsim: interrupted before the first run with a fault.', 'error')
    return signals.code
  }
  if (findings) printStartProblems(findings, variables, output)
  for (const line of lines) output.printLine(line, 'error')
  return code
}
