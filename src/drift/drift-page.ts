import { renderPrinted } from '../reports/formats/index.ts'
import type { Page, PageFinding, PageSection } from '../reports/page/page.ts'
import {
  describeFinding,
  describeNotJudged,
  describePlace,
  describeSample,
  summarizeDrift,
  verdicts,
} from './describe.ts'
import { driftToJson } from './drift-json.ts'
import type { DriftFinding, DriftReport } from './finding.ts'

/** Renders a comparison in a form of `--format`. */
export function renderDrift(report: DriftReport, format: Parameters<typeof renderPrinted>[0]): string {
  return renderPrinted(
    format,
    () => [toDriftPage(report)],
    () => driftToJson(report),
  )
}

/** Describes a comparison of the real service with the contract. */
function toDriftPage(report: DriftReport): Page {
  const { verdict, contract, findings, notJudged } = report
  const section = (key: string, title: string, listed: readonly PageFinding[]): PageSection[] =>
    listed.length === 0 ? [] : [{ key, title, blocks: [{ kind: 'findings', findings: listed }] }]
  const others = notJudged.map((one) => ({
    severity: verdict === 'not-judged' ? ('error' as const) : ('info' as const),
    title: one.operation || 'no operation',
    sentence: `not judged: ${describeNotJudged(one)}`,
  }))
  return {
    subject: contract,
    heading: 'the real service and the contract',
    verdict: { text: verdicts[verdict], isGood: verdict === 'same' },
    summary: [summarizeDrift(report)],
    sections: [
      ...section('differences', 'Differences', findings.map(toPageFinding)),
      ...section('not-judged', 'Not judged', others),
    ],
  }
}

function toPageFinding(finding: DriftFinding): PageFinding {
  const { kind, breaks, isDrift, place, assumption } = finding
  return {
    severity: breaks ? 'error' : isDrift ? 'warning' : 'info',
    title: `${kind}: ${describePlace(finding)}`,
    sentence: describeFinding(finding),
    notes: [
      `first: ${describeSample(finding)}`,
      ...(place === undefined ? [] : [`contract: #${place}`]),
      ...(assumption ? [`settles the assumption at #${assumption.pointer}: ${assumption.text}`] : []),
    ],
  }
}
