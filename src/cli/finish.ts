import type { Settings } from '../config/settings.ts'
import { judgeFailOn } from '../reports/fail-on.ts'
import { summarizeReport } from '../reports/report.ts'
import { writeReportFile } from '../reports/report-file.ts'
import { describeCommand } from '../reports/reported-run.ts'
import { listFirstFindings } from '../reports/sections.ts'
import type { RunningSimulator } from '../simulator/start.ts'

/** The number of findings that are printed at the end; the report has all. */
const printedFindings = 10

/**
 * Prints the summary and the first findings, writes the report, and returns the exit code. `code` and `command`: those of the command of
 * `exec`, file and arguments, else 0 and undefined. `printError` prints a line on stderr.
 */
export async function finish(
  running: RunningSimulator,
  settings: Settings,
  code: number,
  command: readonly string[] | undefined,
  printError: (line: string) => void,
): Promise<number> {
  const created = await running.report()
  const report = { ...created, run: { ...created.run, command: command && describeCommand(command) } }
  printError(`convsim: ${summarizeReport(report)}.`)
  for (const line of listFirstFindings(report, printedFindings)) printError(`  ${line}`)
  const failed = judgeFailOn(report, report.run.failOn)
  if (failed.length > 0) printError(`convsim: --fail-on: ${failed.join('; ')}.`)
  const problem = settings.report === undefined ? undefined : await writeReportFile(settings.report, report)
  if (problem !== undefined) printError(`convsim: ${problem}`)
  else if (settings.report !== undefined) printError(`convsim: the report is in ${settings.report}.`)
  if (code !== 0) return code
  return failed.length > 0 ? 3 : Number(problem !== undefined)
}
