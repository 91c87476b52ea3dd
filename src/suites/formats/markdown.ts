import { escapeMarkdown, table } from '../../reports/formats/markdown.ts'
import { describeRun } from '../../reports/reported-run.ts'
import {
  describeGroup,
  describePlainRun,
  formatVerdict,
  listFindings,
  type SuiteReport,
  summarizeGroups,
  summarizeRuns,
} from '../suite-report.ts'
import { describeFields, summarizeFields } from '../summarize-fields.ts'

/** Renders a report as Markdown for the summary of a CI step. */
export function renderMarkdown(report: SuiteReport): string {
  const { contract, failed } = report
  const findings = listFindings(report)
  return `${[
    `# ${escapeMarkdown(contract.title)} ${escapeMarkdown(contract.version)}: faults against the test suite`,
    escapeMarkdown(`${describeRun(report.run).join(', ')}.`),
    escapeMarkdown(`${describePlainRun(report)} ${summarizeRuns(report)}`),
    ...failed.map((sentence) => `**--fail-on:** ${escapeMarkdown(sentence)}.`),
    [
      ...summarizeGroups(report.runs).map(describeGroup),
      ...summarizeFields(report.runs).flatMap(describeFields),
    ]
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join('\n'),
    '## Findings',
    findings.length === 0
      ? 'There are none.'
      : table(
          ['finding', 'what the client did', 'repeat it'],
          findings.map(({ sentence, client, repeat }) => [sentence, client.join(' '), repeat]),
        ),
    '## Runs',
    table(
      ['fault', 'operation', 'place', 'verdict'],
      report.runs.map(({ run, verdict }) => [
        run.fault.name,
        run.operation,
        run.pointer ?? `request ${run.occurrence}`,
        formatVerdict(verdict),
      ]),
    ),
  ].join('\n\n')}\n`
}
