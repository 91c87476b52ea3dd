import {
  describeFinding,
  describeNotJudged,
  describePlace,
  describeSample,
  summarizeDrift,
  verdicts,
} from '../describe.ts'
import type { DriftFinding, DriftReport } from '../finding.ts'

/** Renders a comparison as lines for people. */
export function renderText(report: DriftReport): string {
  const { verdict, findings, notJudged } = report
  const lines = [summarizeDrift(report), verdicts[verdict], ...findings.flatMap(renderFinding)]
  if (notJudged.length > 0)
    lines.push('not judged:', ...notJudged.map((one) => `  ${describeNotJudged(one)}`))
  return lines.join('\n')
}

function renderFinding(finding: DriftFinding): string[] {
  const { kind, place, assumption } = finding
  return [
    `  ${kind}: ${describePlace(finding)}`,
    `    ${describeFinding(finding)}`,
    `    first: ${describeSample(finding)}`,
    ...(place === undefined ? [] : [`    contract: #${place}`]),
    ...(assumption ? [`    settles the assumption at #${assumption.pointer}: ${assumption.text}`] : []),
  ]
}
