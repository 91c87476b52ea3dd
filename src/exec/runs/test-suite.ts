import { setMaxListeners } from 'node:events'
import type { CommandLineOf } from '../../config/command-syntax.ts'
import { defaultSettings, type Settings } from '../../config/settings.ts'
import { parseDuration } from '../../core/instant.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Findings } from '../../documents/finding.ts'
import type { CommandContext } from '../../process/command.ts'
import { type Output, printStartProblems } from '../../process/output.ts'
import { parseReportTargets, type ReportFormat, renderReport } from '../../reports/formats/index.ts'
import type { Page } from '../../reports/page/page.ts'
import { renderText } from '../../reports/page/text.ts'
import { findReportProblem } from '../../reports/report-file.ts'
import { writeReports } from '../../server/finish.ts'
import { loadInputs } from '../../simulator/loaded-inputs.ts'
import { type Fault, type FaultContext, parseFaultSet } from '../plan/fault-set.ts'
import type { EachLine, EachSettings } from '../settings.ts'
import { createStatusLine, type StatusLine } from './progress.ts'

/** The process that runs the command, with its output. */
export interface ExecContext extends CommandContext {
  readonly output: Output
}

/** A test suite that runs many times: its command, and the things that its runs share. */
export interface TestSuite extends CommandLineOf<EachSettings & Settings>, ExecContext {
  /** Aborted by a signal, or at the end of the process: that ends the commands, so their ends say nothing. */
  readonly stopped: AbortSignal
  /** The time by `elapsed` after which no further run begins; `Infinity` without a limit. */
  readonly deadline: number
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

/**
 * A suite that cannot be tried. It is thrown, since only the end of the command handles it. The lines have the reason,
 * and what differs or the output of the command, which may have line breaks of its own.
 */
export class UntriableSuite extends Error {
  readonly lines: readonly string[]
  readonly code: number
  /** The findings that prevent the start of a simulator, in place of a message; empty if it started. */
  readonly findings: Findings

  constructor(lines: readonly string[], code = 1, findings: Findings = []) {
    super(lines.join('\n'))
    this.lines = lines
    this.code = code
    this.findings = findings
  }
}

/** Returns the error of a suite for which no simulator can start. */
export const refuseStart = (findings: Findings) => new UntriableSuite([], 1, findings)

/** Returns the error about a flag. */
export const refuseFlag = (flag: string, message: string) => refuseStart([{ severity: 'error', place: flag, message }])

/** Loads the files of the settings, with which faults are parsed. */
export async function loadFaultContext({ settings }: TestSuite): Promise<FaultContext> {
  const inputs = await loadInputs(settings)
  if (!inputs.ok) throw refuseStart(inputs.error)
  const { contract, catalogue } = inputs.value
  return { catalogue, operations: contract.operations }
}

/** Parses the faults of `--set`, and prints the scenarios of a set that fit no operation. */
export function readFaults({ output }: TestSuite, flag: string, text: string, context: FaultContext): readonly Fault[] {
  const parsed = parseFaultSet(text, context)
  if (!parsed.ok) throw refuseFlag(flag, parsed.error)
  const { faults, unfitting } = parsed.value
  if (unfitting.length > 0)
    output.printLine(`convsim: not tried, since they fit no operation of the contract: ${unfitting.join(', ')}.`)
  return faults
}

/**
 * Tries a suite, prints the report and writes its files. Returns the exit code: 128 + n after
 * signal n, 3 if a condition is met, 1 if a file cannot be written or there is a problem, else 0. Returns that of the
 * command if it fails without faults, and 1 if it cannot be tried for another reason.
 */
export async function runSuite(
  line: EachLine,
  deps: ExecContext,
  trySuite: (suite: TestSuite) => Promise<SuiteOutcome>,
): Promise<number> {
  const suite = openSuite(line, deps)
  try {
    const problem = await findReportProblem(parseReportTargets(suite.settings.report ?? '') ?? [])
    if (problem) throw refuseStart([problem])
    return await finishSuite(suite, await trySuite(suite))
  } catch (error) {
    if (error instanceof UntriableSuite) return finishUntriable(suite, error)
    throw error
  }
}

/** Opens a suite: from then on a signal stops its runs. The time begins once the settings are checked. */
function openSuite(options: EachLine, deps: ExecContext): TestSuite {
  const { settings } = options
  const { host, signals, output, now } = deps
  const begun = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // one for each of `--jobs`
  signals.onStop(() => stop.abort())
  host.once('exit', () => stop.abort())
  return {
    ...options,
    ...deps,
    settings: {
      ...defaultSettings(),
      ...settings,
      state: ':memory:',
      clock: settings.clock === 'real' ? begun : settings.clock,
    },
    stopped: stop.signal,
    deadline: Number.POSITIVE_INFINITY,
    line: createStatusLine(output.isJson ? undefined : host.stderr),
  }
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
  const { settings, signals, output, print, line } = suite
  line.clear()
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

function finishUntriable({ signals, output, variables, line: progress }: TestSuite, reason: UntriableSuite): number {
  progress.clear()
  const { code, lines, findings } = reason
  if (signals.code !== undefined) {
    output.printLine('convsim: interrupted before the first run with a fault.', 'error')
    return signals.code
  }
  if (findings.length > 0) printStartProblems(findings, variables, output)
  else for (const line of lines) output.printLine(line, 'error')
  return code
}
