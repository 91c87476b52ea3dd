import { renderClientReport } from '../../server/reports/client-page.ts'
import { parseReportTargets, type ReportFormat, writeReportFile } from '../../server/reports/formats/index.ts'
import { judgeFailOn, listFirstFindings, type Report, summarizeReport } from '../../server/reports/report.ts'
import { describeCommand } from '../../server/reports/reported-run.ts'
import type { Settings } from '../../server/settings/settings.ts'
import type { RunningSimulator } from '../../server/simulator/start.ts'
import type { Output } from '../process/command.ts'

type PrintLine = Output['printLine']

const maxPrintedFindings = 10

/** Prints the reason and returns exit code 1 if the state could not be written on shutdown; otherwise, returns 0. */
export async function printStateLoss(running: RunningSimulator, printLine: PrintLine): Promise<number> {
  const loss = await running.findStateLoss()
  if (loss === undefined) return 0
  printLine(`convsim: the state was not written on shutdown: ${loss}.`, 'error')
  return 1
}

interface EndedProcess {
  readonly settings: Settings
  readonly code: number
  /** The command line that `exec` ran; undefined if the process did not run `exec`. */
  readonly command?: readonly string[]
  readonly printLine: PrintLine
}

const baseUrlHint = 'Does the command use the URL in CONVSIM_BASE_URL? To pass it in another variable, use --env NAME. '
const allowHint = 'If you expect no requests, use --allow-no-requests.'

export async function finish(running: RunningSimulator, clientReport: Report, run: EndedProcess): Promise<number> {
  const { settings, command, printLine } = run
  const stateLossCode = await printStateLoss(running, printLine)
  const code = run.code || stateLossCode
  const report = { ...clientReport, run: { ...clientReport.run, command: command && describeCommand(command) } }
  printLine(`convsim: ${summarizeReport(report)}.`)
  for (const line of listFirstFindings(report, maxPrintedFindings)) printLine(`  ${line}`)
  if (report.requests === 0 && !settings.allowNoRequests)
    printLine(`convsim: no request reached the simulator. ${command ? baseUrlHint : ''}${allowHint}`, 'warn')
  const metConditions = judgeFailOn(report, report.run.failOn)
  if (metConditions.length > 0) printLine(`convsim: --fail-on: ${metConditions.join('; ')}.`, 'error')
  const isWritten = await writeReports(settings.report, (format) => renderClientReport(format, report), printLine)
  const isComplete = checkCompleteness(report, run)
  if (code !== 0) return code
  if (metConditions.length > 0) return 3
  return isWritten && isComplete ? 0 : 1
}

/** Returns false, and prints why, if `--report` or `--fail-on` is set and requests to other replicas may be missing. */
function checkCompleteness({ truncated }: Report, { settings, printLine }: EndedProcess): boolean {
  if (!truncated || (settings.report === undefined && settings.failOn === undefined)) return true
  printLine(
    'convsim: the report may lack requests to other replicas. ' +
      'Get the complete report from a running replica: GET /__sim/report.',
    'error',
  )
  return false
}

export async function writeReports(
  targets: Settings['report'],
  render: (format: ReportFormat) => string,
  printLine: PrintLine,
): Promise<boolean> {
  let isWritten = true
  for (const { file, format } of parseReportTargets(targets ?? '') ?? []) {
    const problem = await writeReportFile(file, render(format))
    printLine(`convsim: ${problem ?? `the report is in ${file}.`}`, problem === undefined ? 'info' : 'error')
    if (problem !== undefined) isWritten = false
  }
  return isWritten
}
