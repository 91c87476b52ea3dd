import { escapeMarkdown, table } from '../../../reports/formats/markdown.ts'
import { describeRun } from '../../../reports/reported-run.ts'
import { describePlainRun } from '../../report/suite-report.ts'
import {
  describeHuntFinding,
  describeNeed,
  describeShrinking,
  type HuntFinding,
  type HuntReport,
  summarizeHunt,
} from '../hunt-report.ts'

/** Renders the outcome of a hunt as Markdown for the summary of a CI step. */
export function renderHuntMarkdown(report: HuntReport): string {
  const { contract, run, finding, failed } = report
  return `${[
    `# ${escapeMarkdown(contract.title)} ${escapeMarkdown(contract.version)}: hunt for faults that break the test suite`,
    escapeMarkdown(`${describeRun(run).join(', ')}.`),
    ...failed.map((sentence) => `**--fail-on:** ${escapeMarkdown(sentence)}.`),
    ...(finding ? describeFinding(finding, report) : []),
    '## Runs',
    [describePlainRun(report), ...summarizeHunt(report)]
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join('\n'),
  ].join('\n\n')}\n`
}

function describeFinding(finding: HuntFinding, report: HuntReport): string[] {
  const { candidate, file } = finding
  return [
    '## Found',
    escapeMarkdown(`${describeHuntFinding(finding, report)} ${describeNeed(finding)}`),
    table(
      ['operation', 'request', 'scenario'],
      candidate.map(({ operation, occurrence, scenario }) => [
        operation.id,
        String(occurrence),
        scenario.text,
      ]),
    ),
    ...(file === undefined ? [] : [escapeMarkdown(`Repeat it: ${finding.repeat}`)]),
    escapeMarkdown(describeShrinking(finding)),
  ]
}
