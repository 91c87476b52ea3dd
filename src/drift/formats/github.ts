import { describeFinding, describeNotJudged, describePlace, summarizeDrift } from '../describe.ts'
import type { DriftReport } from '../finding.ts'

/** Renders a comparison as GitHub's workflow commands, which annotate a run. */
export function renderGithub(report: DriftReport): string {
  const { verdict, findings, notJudged } = report
  const commands = findings.map((finding) => {
    const level = finding.breaks ? 'error' : finding.isDrift ? 'warning' : 'notice'
    return `::${level}::${escapeMessage(`${finding.kind}: ${describePlace(finding)}: ${describeFinding(finding)}`)}`
  })
  const level = verdict === 'not-judged' ? 'error' : 'notice'
  const others = notJudged.map(
    (one) => `::${level}::${escapeMessage(`not judged: ${describeNotJudged(one)}`)}`,
  )
  return [...commands, ...others, summarizeDrift(report)].join('\n')
}

const escapeMessage = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
