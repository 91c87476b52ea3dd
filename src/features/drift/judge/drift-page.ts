import { cutText, escapeControls } from '../../../base/core/text.ts'
import { type PrintedFormat, renderPrinted } from '../../../server/reports/formats/index.ts'
import type { Page, PageFinding, PageSection } from '../../../server/reports/page/page.ts'
import { pluralize } from '../../../server/reports/report.ts'
import { differenceKinds } from '../observe/observe.ts'
import type { DriftFinding } from './finding.ts'
import type { DriftReport } from './judge.ts'

export const renderDrift = (report: DriftReport, format: PrintedFormat): string =>
  renderPrinted(format, [toPage(report)], toJson(report))

const verdicts: Readonly<Record<DriftReport['verdict'], string>> = {
  same: 'The real service matches the contract.',
  drift: 'The real service differs from the contract.',
  'not-judged': 'It is unknown whether the real service matches the contract: too few responses could be fully judged.',
}

function toPage(report: DriftReport): Page {
  const { verdict, contract, findings, notJudged } = report
  const section = (key: string, title: string, listed: readonly PageFinding[]): PageSection[] =>
    listed.length === 0 ? [] : [{ key, title, blocks: [{ kind: 'findings', findings: listed }] }]
  const notJudgedFindings = notJudged.map(({ operation, reason, request, count, sentence }) => {
    const times = count > 1 ? `first of ${count} requests: ` : ''
    const first = request === undefined ? '' : ` (${times}${shortenText(request)})`
    return {
      severity: verdict === 'not-judged' ? ('error' as const) : ('info' as const),
      title: operation,
      sentence: `not judged: ${reason}${first}: ${sentence}`,
    }
  })
  return {
    subject: contract,
    heading: 'the real service and the contract',
    verdict: { text: verdicts[verdict], isGood: verdict === 'same' },
    summary: [summarizeDrift(report)],
    sections: [
      ...section('differences', 'Differences', findings.map(findingToPage)),
      ...section('not-judged', 'Not judged', notJudgedFindings),
    ],
  }
}

function findingToPage(finding: DriftFinding): PageFinding {
  const { kind, message, seen, of, breaks, isSimulated, contractPointer, assumption, settles, sample } = finding
  const meaning = isSimulated ? 'allowed by the contract, but never returned by the simulator' : differenceKinds[kind]
  const relation = settles ? 'contradicts' : 'see'
  const effect = breaks ? 'breaks clients' : 'does not break clients'
  return {
    severity: breaks ? 'error' : 'warning',
    title: `${kind}: ${describePlace(finding)}`,
    sentence: `${meaning}: ${message}. Seen in ${seen} of ${pluralize(of, 'response')}; ${effect}.`,
    notes: [
      `first: ${shortenText(sample.request)}${sample.value === undefined ? '' : `: ${sample.value}`}`,
      `${isSimulated ? 'rule for simulated values' : 'contract'}: #${contractPointer}`,
      ...(assumption ? [`${relation} the assumption at #${assumption.pointer}: ${assumption.text}`] : []),
    ],
  }
}

/** Describes where a finding is: `getModelAnalytics 200 /recommendations/healthLevel`, `getModelAnalytics 418`. */
export function describePlace({ operation, status, pointer }: DriftFinding): string {
  return escapeControls(`${operation.id} ${status}${pointer === '' ? '' : ` ${shortenText(pointer)}`}`)
}

const shortenText = (text: string) => cutText(text, 500)

function summarizeDrift({ verdict, findings, omitted, judged }: DriftReport): string {
  const responses = [...judged].map(([operation, count]) => `${pluralize(count, 'response')} from ${operation}`)
  const note = omitted > 0 ? ` (${findings.length} listed; those that break clients have priority)` : ''
  // Responses are compared even if they do not suffice for a verdict.
  const verb = verdict === 'not-judged' ? 'compared' : 'judged'
  const differences = pluralize(findings.length + omitted, 'difference') + note
  return `${verdict}: ${differences}; ${responses.join(', ') || 'no responses'} ${verb}.`
}

function toJson({ verdict, contract, judged, findings, omitted, notJudged }: DriftReport): object {
  return {
    verdict,
    contract,
    judged: Object.fromEntries(judged),
    findings: findings.map(findingToJson),
    omitted: omitted || undefined,
    notJudged,
  }
}

function findingToJson(finding: DriftFinding): object {
  const { operation, status, pointer, kind, detail, seen, of, breaks, message, sample } = finding
  const { isSimulated, assumption, settles } = finding
  return {
    operation: operation.id,
    status,
    pointer: shortenText(pointer),
    kind,
    header: kind === 'header' ? detail : undefined,
    ...{ seen, of, breaks, message },
    sample: { request: shortenText(sample.request), value: sample.value },
    contract: finding.contractPointer,
    rule: isSimulated ? 'simulated-values' : 'contract',
    assumption: assumption?.pointer,
    settles: assumption && settles,
  }
}
