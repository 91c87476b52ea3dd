import { printStartProblems } from '../../../command-line/process/output.ts'
import { writeReports } from '../../../command-line/serve/finish.ts'
import { type ReportFormat, renderReport } from '../../../server/reports/formats/index.ts'
import { renderText } from '../../../server/reports/page/text.ts'
import type { TestSuite, UntriableSuite } from '../runs/test-suite.ts'
import { toSuitePage } from './suite-formats.ts'
import { describeProblem, type SuiteReport } from './suite-report.ts'

/**
 * Prints the report and writes its files. Returns the exit code: 128 + n after signal n, 3 if a condition is met, 1
 * if a file cannot be written or there is a problem, else 0.
 */
export async function finishSuite(suite: TestSuite, outcome: SuiteReport): Promise<number> {
  const { settings, signals, output, print, line } = suite
  const { failed } = outcome
  const problem = describeProblem(outcome)
  const page = toSuitePage(outcome)
  line.clear()
  const { isJson, printLine } = output
  const report = renderText(page).trimEnd()
  if (!isJson) print(report)
  else for (const line of report.split('\n').filter((one) => one !== '')) printLine(line)
  if (failed.length > 0 && settings.failOn !== undefined)
    printLine(`convsim: --fail-on: ${failed.join('; ')}.`, 'error')
  if (problem !== undefined) printLine(`convsim: ${problem}`, 'error')
  const render = (format: ReportFormat) => renderReport(format, page)
  const isWritten = await writeReports(settings.report, render, printLine)
  if (signals.code !== undefined) return signals.code
  if (failed.length > 0) return 3
  return isWritten && problem === undefined ? 0 : 1
}

/** Prints why a suite cannot be tried. Returns the exit code of its command if that fails without faults, else 1. */
export function finishUntriable(
  { signals, output, variables, line: progress }: TestSuite,
  reason: UntriableSuite,
): number {
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
