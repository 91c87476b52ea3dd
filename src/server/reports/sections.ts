import type { BrokenRule } from './contract-findings.ts'
import { retryRules } from './judge-retry.ts'
import type { PageFinding } from './page/page.ts'
import type { FailCondition } from './parse-fail-on.ts'
import {
  type Counted,
  type FindingList,
  type FindingsReport,
  formatPlace,
  formatRequests,
  formatSubject,
  pluralize,
} from './report.ts'
import type { RequestTrace } from './request-trace.ts'

interface ClientFinding extends PageFinding {
  /** The first request: `2026-01-15T12:00:00.000Z POST /v1/events, sandbox default, sent: 7`. */
  readonly trace: string
  /** The client's wait before the retry, ` It waited 0.3 s (req-5, then req-6).`; only a terminal shows it. */
  readonly pause: string
}

interface FindingSection {
  readonly key: keyof typeof heads
  /** The condition of `--fail-on` under which these findings fail the run. */
  readonly gate: FailCondition['kind']
  readonly title: string
  readonly description: string
  /** The sentence that stands in place of the findings if there are none. */
  readonly emptySentence: string
  readonly findings: readonly ClientFinding[]
  /** The sentence about findings that the list omits; empty if it omits none. */
  readonly omitted: string
}

/** The `gate`, `title`, `description` and `emptySentence` of each section. */
const heads = {
  violations: ['violation', 'Violations', 'Requests that broke the contract.', 'Every request fits the contract.'],
  unexpected: [
    'unexpected',
    'Unexpected responses',
    'Refusals and failures that no scenario was asked for.',
    'Every refusal and failure was asked for.',
  ],
  retries: ['retry', 'Retries', 'How the client behaves when something fails.', 'No broken retry rule was seen.'],
  advice: ['advice', 'Advice', 'What the service accepts, and a careful client does not send.', 'There is no advice.'],
} as const

/** Creates the sections of a report in their fixed order, which is the same in every format. */
export function createSections(report: FindingsReport): readonly FindingSection[] {
  const section = <T>(
    key: FindingSection['key'],
    { list, further }: FindingList<T & { readonly first: RequestTrace }>,
    describe: (finding: T) => readonly [title: string, sentence: string],
  ): FindingSection => {
    const [gate, title, description, emptySentence] = heads[key]
    const isGated = report.run.failOn.some(({ kind }) => kind === gate)
    const severity = isGated ? 'error' : key === 'advice' ? 'info' : 'warning'
    const findings = list.map((finding) => ({ severity, ...toTexts(finding, describe(finding)) }) as const)
    const omitted = further === 0 ? '' : `There was no room for ${pluralize(further, 'further one')}.`
    return { key, gate, title, description, emptySentence, findings, omitted }
  }
  const describeRule = (finding: BrokenRule) =>
    [`${finding.operation}: ${formatPlace(finding)}`, `${finding.keyword}: ${finding.message}`] as const
  return [
    section('violations', report.brokenRules, describeRule),
    section('unexpected', report.unexpectedResponses, (finding) => [
      `${formatSubject(finding)}: ${finding.status}`,
      `${finding.message} (origin: ${finding.origin})`,
    ]),
    section('retries', report.retries, ({ operation, rule, sentence }) => [
      `${operation || 'no operation'}: ${rule}`,
      `${sentence} ${retryRules[rule]}`,
    ]),
    section('advice', report.advice, describeRule),
  ]
}

function toTexts(
  finding: Counted<{ readonly first: RequestTrace; readonly waitedMs?: number | undefined }>,
  [title, sentence]: readonly [string, string],
): Omit<ClientFinding, 'severity'> {
  const { at, method, path, sandbox, excerpt, curl = '' } = finding.first
  const trace = `${at} ${method} ${path}, sandbox ${sandbox}${excerpt === undefined ? '' : `, sent: ${excerpt}`}`
  const details = curl === '' ? [] : [{ title: 'curl', lines: curl.trimEnd().split('\n') }]
  const { waitedMs, requests } = finding
  const pause =
    waitedMs === undefined
      ? ''
      : ` It waited ${Math.round(waitedMs / 10) / 100} s (${requests.slice(0, 2).join(', then ')}).`
  const notes = [`Requests: ${formatRequests(finding)}; first: ${trace}`]
  return { title, sentence: sentence.trim(), notes, details, trace, pause }
}

/** Returns the first findings as lines, `violations: createEvent: body /value: type: ...`, and the number of others. */
export function listFirstFindings(report: FindingsReport, limit: number): string[] {
  const lines = createSections(report).flatMap(({ key, findings }) =>
    findings.map(({ title, sentence, trace, pause }) => `${key}: ${title}: ${sentence}${pause} (${trace})`),
  )
  const omitted = lines.length - limit
  return omitted > 0 ? [...lines.slice(0, limit), `${pluralize(omitted, 'further finding')}`] : lines
}
