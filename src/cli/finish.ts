import type { Settings } from '../config/settings.ts'
import type { LogLevel } from '../core/log.ts'
import { judgeFailOn } from '../reports/fail-on.ts'
import type { ReportFormat } from '../reports/formats/report-format.ts'
import { summarizeReport } from '../reports/report.ts'
import { writeReportFile } from '../reports/report-file.ts'
import { parseReportTargets } from '../reports/report-target.ts'
import { describeCommand } from '../reports/reported-run.ts'
import { listFirstFindings } from '../reports/sections.ts'
import type { RunningSimulator } from '../simulator/start.ts'
import { writeBundleFile } from './write-bundle.ts'

/** The number of findings that are printed at the end; the report has all. */
const printedFindings = 10

/** Prints why the state could not be written at the stop, and returns the exit code: 1 then, else 0. */
export async function printStateLoss(
  running: RunningSimulator,
  printLine: (line: string, level: 'error') => void,
): Promise<number> {
  const loss = await running.findStateLoss()
  if (loss === undefined) return 0
  printLine(`convsim: the state was not written at the stop: ${loss}.`, 'error')
  return 1
}

/**
 * Prints the summary and the first findings, writes the reports, and returns the exit code. `code` and `command`: those of the command of
 * `exec`, file and arguments, else 0 and undefined. `printError` prints a line on stderr.
 */
export async function finish(
  running: RunningSimulator,
  settings: Settings,
  code: number,
  command: readonly string[] | undefined,
  printError: (line: string, level?: LogLevel) => void,
): Promise<number> {
  const created = await running.report()
  const report = { ...created, run: { ...created.run, command: command && describeCommand(command) } }
  printError(`convsim: ${summarizeReport(report)}.`)
  for (const line of listFirstFindings(report, printedFindings)) printError(`  ${line}`)
  const failed = judgeFailOn(report, report.run.failOn)
  if (failed.length > 0) printError(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  const isWritten = await writeReports(settings.report, ({ render }) => render(report), printError)
  const isBundled = await writeBundleIfFailed(
    running,
    settings,
    failed,
    code,
    command === undefined,
    printError,
  )
  if (code !== 0) return code
  if (failed.length > 0) return 3
  return isWritten && isBundled ? 0 : 1
}

/**
 * Writes the bundle of `--bundle` if a condition of `--fail-on` is met or the command failed; `serve` without `--fail-on` always
 * writes it. Returns false if it cannot be written.
 */
async function writeBundleIfFailed(
  running: RunningSimulator,
  { bundle, failOn }: Settings,
  conditions: readonly string[],
  code: number,
  isOfServe: boolean,
  printError: (line: string, level?: LogLevel) => void,
): Promise<boolean> {
  const reasons = [...conditions, ...(code === 0 ? [] : [`exit code ${code}`])]
  const isAlways = isOfServe && failOn === undefined
  if (bundle === undefined || (reasons.length === 0 && !isAlways)) return true
  return writeBundleFile(running, bundle, reasons, printError)
}

/** Writes a report to every file of `--report`, and prints their names, or why one cannot be written. Returns true if all are written. */
export async function writeReports(
  targets: Settings['report'],
  render: (format: ReportFormat) => string,
  printError: (line: string, level?: LogLevel) => void,
): Promise<boolean> {
  let isWritten = true
  for (const target of parseReportTargets(targets ?? '') ?? []) {
    const problem = await writeReportFile(target.file, render(target.format))
    if (problem === undefined) printError(`convsim: the report is in ${target.file}.`)
    else {
      printError(`convsim: ${problem}`, 'error')
      isWritten = false
    }
  }
  return isWritten
}
