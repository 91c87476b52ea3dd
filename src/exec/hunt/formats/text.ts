import { describePlainRun } from '../../report/suite-report.ts'
import {
  describeHuntFinding,
  describeNeed,
  describeShrinking,
  type HuntFinding,
  type HuntReport,
  summarizeHunt,
} from '../hunt-report.ts'

/** The number of lines of the command's output, and of requests, that the text has. */
const shownLines = 12

/** Renders the outcome of a hunt as lines for a terminal. */
export function renderHuntText(report: HuntReport): string {
  const { finding } = report
  return [
    ...(finding ? describeFinding(finding, report) : []),
    describePlainRun(report),
    ...summarizeHunt(report),
  ].join('\n')
}

function describeFinding(finding: HuntFinding, report: HuntReport): string[] {
  const { lastLines, requests, file, repeat } = finding
  return [
    `Found: ${describeHuntFinding(finding, report)}`,
    describeNeed(finding),
    ...lastLines.slice(-shownLines).map((line) => `    | ${line}`),
    'The last requests of that run:',
    ...requests.slice(-shownLines).map((line) => `    ${line}`),
    ...(file === undefined ? [] : [`The scenarios are in ${file}. This repeats it:`, `    ${repeat}`]),
    describeShrinking(finding),
    '',
  ]
}
