import { redacted } from '../../../base/redaction/redact-token.ts'
import { printStartProblems } from '../../../command-line/process/output.ts'
import { writeReports } from '../../../command-line/serve/finish.ts'
import { type ReportFormat, renderReport } from '../../../server/reports/formats/index.ts'
import { renderText } from '../../../server/reports/page/text.ts'
import { redactWords } from '../../../server/reports/reported-run.ts'
import { flagOf } from '../../../server/settings/setting.ts'
import type { TestSuite, UntriableSuite } from '../runs/test-suite.ts'
import { type EachSettings, eachSettings } from '../settings.ts'
import { toSuitePage } from './suite-page.ts'
import { describeProblem, type SuiteReport } from './suite-report.ts'

/**
 * Prints the report and writes its files. Returns the exit code: 128 + n after signal n, 3 if a condition is met, 1
 * if a file cannot be written or there is a problem, else 0.
 */
export async function finishSuite(suite: TestSuite, report: SuiteReport): Promise<number> {
  const { settings, signals, output, print } = suite
  const { isJson, printLine } = output
  const { failed } = report
  const problem = describeProblem(report)
  const page = toSuitePage(report)
  const text = renderText(page).trimEnd()
  if (!isJson) print(text)
  else for (const line of text.split('\n').filter((one) => one !== '')) printLine(line)
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
export function finishUntriable({ signals, output, variables }: TestSuite, reason: UntriableSuite): number {
  const { code, lines, findings } = reason
  if (signals.code !== undefined) {
    output.printLine('convsim: interrupted before the first run with a fault.', 'error')
    return signals.code
  }
  if (findings.length > 0) printStartProblems(findings, variables, output)
  else for (const line of lines) output.printLine(line, 'error')
  return code
}

/** The settings that the repetition of one run does not need. */
const unneeded = ['set', 'only', 'maxRuns', 'time', 'jobs', 'report', 'failOn', 'port', 'logLevel', 'logFormat']

/** Returns the command line that repeats the run of a name. Credentials are redacted, and the line says so. */
export function describeRepeat(name: string, settings: EachSettings, command: readonly string[]): string {
  const given = new Map<string, unknown>(Object.entries(settings))
  const flags = Object.entries(eachSettings).flatMap(([name, { value, default: standard }]) => {
    const own = given.get(name)
    if (unneeded.includes(name) || own === standard) return []
    if (value === undefined) return own === true ? [flagOf(name)] : [`--no-${flagOf(name).slice(2)}`]
    return [flagOf(name), String(own)]
  })
  const all = ['convsim', 'each', '--only', name, ...flags, '--', ...command]
  const clean = redactWords(all)
  const hasCredential = clean.some((word, index) => word !== all[index])
  return clean.map(quoteWord).join(' ') + (hasCredential ? ` # put the credential back at ${redacted}` : '')
}

/** Quotes a word for a shell, if it needs quotes. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
