import {
  describeGroup,
  describePlainRun,
  formatVerdict,
  listFindings,
  type SuiteFinding,
  type SuiteReport,
  summarizeGroups,
  summarizeRuns,
} from '../suite-report.ts'
import { describeFields, summarizeFields } from '../summarize-fields.ts'

/** The number of lines of a command's output that the text has. */
const shownLines = 12

/** The number of findings that the text has. */
const shownFindings = 20

/** Renders a report as lines for a terminal: the table, the findings, and last the shares. */
export function renderText(report: SuiteReport): string {
  const rows = report.runs
    .filter(({ code }) => code !== undefined)
    .map(({ run, verdict }) => [
      run.fault.name,
      run.operation,
      run.pointer ?? `request ${run.occurrence}`,
      formatVerdict(verdict),
    ])
  const findings = listFindings(report)
  const further = findings.length - shownFindings
  return [
    ...alignColumns([['fault', 'operation', 'place', 'verdict'], ...rows]),
    '',
    findings.length === 0 ? 'There are no findings.' : 'Findings:',
    ...findings.slice(0, shownFindings).flatMap(describeFinding),
    ...(further > 0 ? [`- and ${further} more; --report FILE has all of them.`] : []),
    '',
    describePlainRun(report),
    ...summarizeFields(report.runs).flatMap(describeFields),
    ...summarizeGroups(report.runs).map(describeGroup),
    summarizeRuns(report),
  ].join('\n')
}

function describeFinding({ kind, sentence, client, lastLines, repeat }: SuiteFinding): string[] {
  // A command that passed has nothing to say about the fault.
  const output = kind === 'unnoticed' || kind === 'client' ? [] : lastLines.slice(-shownLines)
  return [
    `- ${sentence}`,
    ...client.map((line) => `    ${line}`),
    ...output.map((line) => `    | ${line}`),
    `    ${repeat}`,
  ]
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? []
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
