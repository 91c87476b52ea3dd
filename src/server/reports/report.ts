/**
 * `server/reports/`: reports on the traffic (coverage, retry problems, violations and fail conditions).
 * `traffic-collector.ts` counts each exchange as it is recorded, and creates reports from the counts. `client-page.ts`
 * describes a report as a `Page`, which `page/` renders in each format.
 */

import type { CoverageView } from './coverage.ts'
import type { CountedFinding, FindingList, ReportedKind, RequestCounts, UnjudgedCount } from './findings.ts'
import type { FailCondition, ReportedRun } from './reported-run.ts'
import type { UnmetRule } from './unmet.ts'

/** A report on one sandbox or all sandboxes. */
export interface Report extends Readonly<RequestCounts> {
  readonly contract: { readonly title: string; readonly version: string }
  readonly run: ReportedRun
  /** The name of a sandbox; undefined for all sandboxes, including deleted ones. */
  readonly sandbox: string | undefined
  /** The findings by kind, in the order of `findingKinds`. */
  readonly findings: Readonly<Record<ReportedKind, FindingList>>
  /** The rules that were never applied, or were applied to fewer requests than expected. */
  readonly unmet: readonly UnmetRule[]
  /** The number of failed calls whose retry could not be judged, by reason. */
  readonly unjudged: readonly UnjudgedCount[]
  /** Returns the coverage, which is computed only on the first call, since finding the hints is slow. */
  readonly coverage: () => CoverageView
  /** True if the report may lack requests to other replicas; absent otherwise. */
  readonly truncated?: true
}

/** A report without coverage. Such a report never meets a coverage condition. */
export type FindingsReport = Omit<Report, 'coverage'>

/** Creates a report on a sandbox, or on all sandboxes if the name is undefined. */
export type Reporter = (sandbox: string | undefined) => Promise<Report>

/** Formats a count with its noun: `1 request`, `2 requests`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export function countFindings({ list, further }: FindingList): number {
  return list.length + further
}

function retryText({ findings, unjudged }: FindingsReport): string {
  const problems = pluralize(countFindings(findings.retries), 'retry problem')
  const calls = unjudged.reduce((sum, { count }) => sum + count, 0)
  return calls === 0 ? problems : `${problems}, ${pluralize(calls, 'failed call')} not judged`
}

const adviceText = ({ findings }: FindingsReport) => `${pluralize(countFindings(findings.advice), 'piece')} of advice`

/** Summarizes a report in one line: `10 requests, 2 broke the contract, ..., 31.6% of the contract covered`. */
export function summarizeReport(report: Report): string {
  const { requests, violations, unexpected, expected, findings, coverage, truncated } = report
  return [
    pluralize(requests, 'request'),
    `${violations} broke the contract`,
    pluralize(unexpected, 'unexpected response'),
    ...(expected > 0 ? [`${expected} refused as expected`] : []),
    retryText(report),
    ...(listUnapplied(report).length > 0 ? [`${pluralize(listUnapplied(report).length, 'rule')} never applied`] : []),
    ...(countFindings(findings.advice) > 0 ? [adviceText(report)] : []),
    `${coverage().percent}% of the contract covered`,
    ...(truncated ? ['requests to other replicas may be missing'] : []),
  ].join(', ')
}

export const listUnapplied = ({ unmet }: FindingsReport) => unmet.filter(({ applied }) => applied === 0)

/** Checks a report against conditions. @returns a sentence for each condition that is met */
export function judgeFailOn(report: Report, conditions: readonly FailCondition[]): string[] {
  return conditions.flatMap((condition) => judgeCondition(report, condition) ?? [])
}

/** Checks a report against one condition. @returns a sentence if the condition is met, undefined otherwise */
export function judgeCondition(report: FindingsReport | Report, condition: FailCondition): string | undefined {
  const { requests, violations, unexpected, findings } = report
  const sentenceIf = (isMet: boolean, sentence: string) => (isMet ? sentence : undefined)
  switch (condition.kind) {
    case 'violation':
      return sentenceIf(violations > 0, `${pluralize(violations, 'request')} broke the contract`)
    case 'unexpected':
      return sentenceIf(unexpected > 0, pluralize(unexpected, 'unexpected response'))
    case 'retry':
      return sentenceIf(countFindings(findings.retries) > 0, retryText(report))
    case 'advice':
      return sentenceIf(countFindings(findings.advice) > 0, adviceText(report))
    case 'unmet': {
      const unapplied = listUnapplied(report)
      return sentenceIf(unapplied.length > 0, unapplied.map(({ sentence }) => sentence.replace(/\.$/, '')).join('; '))
    }
    case 'no-requests':
      return sentenceIf(requests === 0, 'no request reached the simulator (no-requests)')
    case 'coverage': {
      const percent = 'coverage' in report ? report.coverage().percent : 100
      return sentenceIf(percent < condition.below, `${percent}% of the contract covered, ${condition.below}% required`)
    }
  }
}

/**
 * Lists the findings, each with a one-line description: `violations: createEvent: body /value: type: must be a string`.
 * The most frequent finding of each kind comes first, then the second most frequent of each kind, and so on.
 */
export function describeFindings({ findings }: FindingsReport) {
  return Object.entries(findings)
    .flatMap(([kind, { list }]) =>
      list
        .toSorted((a, b) => b.count - a.count)
        .map((finding, rank) => ({ kind, finding, rank, line: `${kind}: ${finding.title}: ${finding.sentence}` })),
    )
    .sort((a, b) => a.rank - b.rank)
}

/** Describes the first request of a finding: `2026-01-15T12:00:00.000Z POST /v1/events, sandbox default, sent: 7`. */
export function describeFirst({ first }: CountedFinding): string {
  const { at, method, path, sandbox, excerpt } = first
  return `${at} ${method} ${path}, sandbox ${sandbox}${excerpt === undefined ? '' : `, sent: ${excerpt}`}`
}

/** Returns the first `limit` findings as lines for a terminal, followed by the number of omitted findings, if any. */
export function listFirstFindings(report: Report, limit: number): string[] {
  const lines = describeFindings(report).map(
    ({ line, finding }) => `${line}${describePause(finding)} (${describeFirst(finding)})`,
  )
  const omitted = lines.length - limit
  return omitted > 0 ? [...lines.slice(0, limit), pluralize(omitted, 'further finding')] : lines
}

/** Describes the client's wait before a retry: ` The client waited 0.3 s (req-5, then req-6).` */
function describePause({ waitedMs, requests }: CountedFinding): string {
  const attempts = requests.slice(0, 2).join(', then ')
  return waitedMs === undefined ? '' : ` The client waited ${Math.round(waitedMs / 10) / 100} s (${attempts}).`
}
