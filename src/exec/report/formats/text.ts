import { listFindings, type SuiteFinding } from '../suite-findings.ts'
import {
  describeCaveats,
  describeGroup,
  describeNothing,
  describePlainRun,
  formatVerdict,
  type SuiteReport,
  summarizeGroups,
  summarizeRuns,
} from '../suite-report.ts'
import { describeFields, summarizeFields } from '../summarize-fields.ts'

/** The number of lines of a command's output that the text has. */
const shownLines = 12

/** The number of requests of a run that the text has: the last ones. */
const shownRequests = 6

/** The number of findings that the text has. */
const shownFindings = 20

/** Renders a report as lines for a terminal: the table, the findings, and last the shares. */
export function renderText(report: SuiteReport): string {
  const rows = report.runs.map(({ run, verdict }) => [
    run.fault.name,
    run.operation,
    run.pointer ?? `request ${run.occurrence}`,
    formatVerdict(verdict),
  ])
  const findings = listFindings(report)
  const further = findings.length - shownFindings
  return [
    ...(rows.length > 0 ? [...alignColumns([['fault', 'operation', 'place', 'verdict'], ...rows]), ''] : []),
    findings.length === 0 ? (describeNothing(report) ?? 'There are no findings.') : 'Findings:',
    ...findings.slice(0, shownFindings).flatMap(describeFinding),
    ...(further > 0 ? [`- and ${further} more; --report FILE has all of them.`] : []),
    '',
    describePlainRun(report),
    ...summarizeFields(report.runs).flatMap(describeFields),
    ...summarizeGroups(report.runs).map(describeGroup),
    ...describeCaveats(report),
    summarizeRuns(report),
  ].join('\n')
}

function describeFinding({ kind, sentence, client, lastLines, requests, repeat }: SuiteFinding): string[] {
  // A command that passed has nothing to say about the fault.
  const output = kind === 'unnoticed' || kind === 'client' ? [] : lastLines.slice(-shownLines)
  return [
    `- ${sentence}`,
    ...client.map((line) => `    ${line}`),
    ...output.map((line) => `    | ${line}`),
    ...requests.slice(-shownRequests).map((line) => `    > ${line}`),
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
