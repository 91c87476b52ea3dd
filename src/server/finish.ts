import type { Settings } from '../config/settings.ts'
import type { LogLevel } from '../core/log.ts'
import { reasonOf } from '../core/result.ts'
import { writePrivateFile } from '../documents/private-file.ts'
import { renderClientReport } from '../reports/client-page.ts'
import { judgeFailOn } from '../reports/fail-on.ts'
import { parseReportTargets, type ReportFormat } from '../reports/formats/index.ts'
import { type Report, summarizeReport } from '../reports/report.ts'
import { writeReportFile } from '../reports/report-file.ts'
import { describeCommand } from '../reports/reported-run.ts'
import { listFirstFindings } from '../reports/sections.ts'
import type { RunningSimulator } from '../simulator/start.ts'
import { EmailAddresses } from './email-addresses.ts'

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

/** A run that has ended. */
interface EndedProcess {
  readonly settings: Settings
  /** The exit code so far: that of the command of `exec`, or 1 if the state was lost. */
  readonly code: number
  /** The command of `exec`, file and arguments. Absent: there was none. */
  readonly command?: readonly string[]
  /** Prints a line on stderr. */
  readonly printError: (line: string, level?: LogLevel) => void
}

const baseUrlHint =
  'Does the command read its base URL from CONVSIM_BASE_URL? --env NAME gives it in another variable, too. '
const allowHint = 'If none is meant: --allow-no-requests.'

/** Prints the summary and the first findings, writes the reports, and returns the exit code. */
export async function finish(
  running: RunningSimulator,
  created: Report,
  { settings, code, command, printError }: EndedProcess,
): Promise<number> {
  const report = { ...created, run: { ...created.run, command: command && describeCommand(command) } }
  printError(`convsim: ${summarizeReport(report)}.`)
  for (const line of listFirstFindings(report, printedFindings)) printError(`  ${line}`)
  if (report.requests === 0 && !settings.allowNoRequests)
    printError(`convsim: no request reached the simulator. ${command ? baseUrlHint : ''}${allowHint}`, 'warn')
  const failed = judgeFailOn(report, report.run.failOn)
  if (failed.length > 0) printError(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  const isWritten = await writeReports(settings.report, (format) => renderClientReport(format, report), printError)
  const isBundled = await writeBundleIfFailed(running, settings, failed, code, command === undefined, printError)
  const isComplete = checkCompleteness(report, settings, printError)
  if (code !== 0) return code
  if (failed.length > 0) return 3
  return isWritten && isBundled && isComplete ? 0 : 1
}

/** Prints that a report which was asked for may miss requests to other replicas. Returns false then. */
function checkCompleteness(
  { truncated }: Report,
  { report, failOn }: Settings,
  printError: EndedProcess['printError'],
): boolean {
  if (!truncated || (report === undefined && failOn === undefined)) return true
  printError(
    'convsim: the report is not complete: requests to other replicas may be missing. ' +
      'Ask a replica that runs: GET /__sim/report.',
    'error',
  )
  return false
}

/**
 * Writes the bundle of `--bundle` if a condition of `--fail-on` is met or the command failed; `serve` without
 * `--fail-on` always writes it. Returns false if it cannot be written.
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
  const addresses = new EmailAddresses()
  try {
    await writePrivateFile(bundle, addresses.watch(running.bundle(reasons)))
  } catch (error) {
    printError(`convsim: --bundle ${bundle}: cannot be written: ${reasonOf(error)}`, 'error')
    return false
  }
  printError(
    `convsim: the bundle is in ${bundle}; repeat the run with convsim replay ${bundle}. ` +
      `It has what clients sent but credentials${addresses.describe()}: ` +
      'look there for personal data before you store it.',
  )
  return true
}

/** Writes a report to every file of `--report`, and prints names or problems. Returns true if all are written. */
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
