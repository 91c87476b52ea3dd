import { escapeMarkdown, table } from '../../../reports/formats/markdown.ts'
import { describeRun } from '../../../reports/reported-run.ts'
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

/** The numbers of findings, and of last requests of a run, that fit the summary of a CI step, which GitHub cuts at 1 MiB. */
const shownFindings = 100
const shownRequests = 20

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
      ...describeCaveats(report),
    ]
      .map((line) => `- ${escapeMarkdown(line)}`)
      .join('\n'),
    '## Findings',
    ...(findings.length === 0
      ? [escapeMarkdown(describeNothing(report) ?? 'There are none.')]
      : [
          ...findings.slice(0, shownFindings).flatMap(renderFinding),
          ...(findings.length > shownFindings
            ? [`${findings.length - shownFindings} more findings are in the other formats.`]
            : []),
        ]),
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

function renderFinding({ name, sentence, client, lastLines, requests, repeat }: SuiteFinding): string[] {
  return [
    `### ${escapeMarkdown(name)}`,
    escapeMarkdown(sentence),
    ...(client.length > 0 ? [client.map((line) => `- ${escapeMarkdown(line)}`).join('\n')] : []),
    fence([repeat], 'sh'),
    ...renderDetails('output', lastLines),
    ...renderDetails('requests', requests.slice(-shownRequests)),
  ]
}

function renderDetails(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  return [`<details><summary>${title}</summary>`, fence(lines), '</details>']
}

/** Writes lines as they are, between fences that are longer than any of theirs. */
function fence(lines: readonly string[], language = ''): string {
  const text = lines.join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}
