import {
  describeFinding,
  describeNotJudged,
  describePlace,
  describeSample,
  summarizeDrift,
  verdicts,
} from '../describe.ts'
import type { DriftFinding, DriftReport } from '../finding.ts'

/** Renders a comparison as Markdown, for a summary of a pipeline or a pull request. */
export function renderMarkdown(report: DriftReport): string {
  const { verdict, contract, findings, notJudged } = report
  const rows = findings.map(renderRow)
  const table =
    rows.length > 0
      ? ['', '| difference | place | seen | breaks clients |', '| --- | --- | --- | --- |', ...rows]
      : []
  const others = notJudged.map((one) => `- ${escapeMarks(describeNotJudged(one))}`)
  return [
    `# ${verdicts[verdict]}`,
    '',
    `${escapeMarks(contract.title)} ${escapeMarks(contract.version)}: ${escapeMarks(summarizeDrift(report))}`,
    ...table,
    ...(others.length > 0 ? ['', '## Not judged', '', ...others] : []),
  ].join('\n')
}

function renderRow(finding: DriftFinding): string {
  const { kind, seen, of, breaks, isDrift, assumption } = finding
  const settled = assumption ? ` Settles the assumption at \`#${escapeMarks(assumption.pointer)}\`.` : ''
  const what = `**${kind}**: ${escapeMarks(describeFinding(finding))} First: ${escapeMarks(describeSample(finding))}${settled}`
  const effect = breaks ? 'yes' : isDrift ? 'no' : 'a note'
  return `| ${what} | ${escapeMarks(describePlace(finding))} | ${seen} of ${of} | ${effect} |`
}

/** Escapes what Markdown or HTML would read as a mark. */
function escapeMarks(text: string): string {
  return text.replace(/[\\|*_`<>[\]]/g, (mark) => `\\${mark}`).replaceAll('\n', ' ')
}
