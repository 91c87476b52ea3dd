/**
 * The meaning of the traffic: coverage, retry problems, violations, fail conditions, page/.
 * `traffic-collector.ts` counts each exchange as it is recorded, `Reporter` creates reports from the counts,
 * `sections.ts` writes their findings as sentences for `client-page.ts`, and `fail-on.ts` judges them.
 */

import type { Contract } from '../../service/contract/contract.ts'
import type { Journal } from '../journal/journal.ts'
import type { CappedTally } from './capped-tally.ts'
import type { BrokenRule, UnexpectedResponse } from './contract-findings.ts'
import { type CoverageView, viewCoverage } from './coverage-view.ts'
import type { HintFinder, PreviewContext } from './hint-finder.ts'
import type { ReportedRun } from './reported-run.ts'
import type { RetryProblem } from './retry-problems.ts'
import type { TrafficCollector } from './traffic-collector.ts'

/** A finding with the requests that showed it. */
export type Counted<T> = T & {
  /** The number of requests that showed the finding. */
  readonly count: number
  /** The ids of the first requests that showed the finding, at most 10. */
  readonly requests: readonly string[]
}

/** The findings of one kind, at most 100. */
export interface FindingList<T> {
  readonly list: readonly Counted<T>[]
  /** The number of further findings, which had no space in the list. */
  readonly further: number
}

/** A report without the coverage, whose hints take by far the most time. */
export interface FindingsReport {
  readonly contract: { readonly title: string; readonly version: string }
  readonly run: ReportedRun
  /** The name of a sandbox; undefined for all, deleted ones included. */
  readonly sandbox: SandboxFilter
  /** The number of exchanges with the service, refused ones included. */
  readonly requests: number
  /** The number of requests that broke the contract. */
  readonly violations: number
  /** The number of responses of status 400 or more that neither a scenario nor a violation explains. */
  readonly unexpected: number
  /** The number of requests of negative tests that met their expectation: neither violations nor unexpected. */
  readonly expected: number
  readonly brokenRules: FindingList<BrokenRule>
  readonly unexpectedResponses: FindingList<UnexpectedResponse>
  readonly advice: FindingList<BrokenRule>
  /** The findings on how the client retries and identifies itself. */
  readonly retries: FindingList<RetryProblem>
  /** True if exchanges of other replicas may be missing, so that every number is a minimum; absent otherwise. */
  readonly truncated?: true
}

/** A report on the clients of a sandbox, or of all. The same requests give the same report, but for `run`. */
export interface Report extends FindingsReport {
  readonly coverage: CoverageView
}

/** The name of the reported sandbox; undefined for all sandboxes. */
type SandboxFilter = string | undefined

type Truncation = Pick<FindingsReport, 'truncated'>

export interface ReporterDependencies {
  readonly contract: Pick<Contract, 'title' | 'version'>
  readonly collector: TrafficCollector
  /** Waits for exchanges of other replicas, and knows if some may be missing. */
  readonly journal: Pick<Journal, 'catchUp' | 'hasLoss'>
  readonly hintFinder: () => HintFinder
  /** Returns the seed and the time of a sandbox; undefined for the default sandbox. */
  readonly contextOf: (sandbox: SandboxFilter) => Promise<PreviewContext>
  /** Returns the run with the seed and the clock of a sandbox; undefined for the default sandbox. */
  readonly runOf: (sandbox: SandboxFilter) => Promise<ReportedRun>
}

export class Reporter {
  readonly #dependencies: ReporterDependencies

  constructor(dependencies: ReporterDependencies) {
    this.#dependencies = dependencies
  }

  async coverage(sandbox: SandboxFilter): Promise<CoverageView & Truncation> {
    await this.#dependencies.journal.catchUp()
    return { ...(await this.#viewCoverage(sandbox)), ...this.#findTruncation(sandbox) }
  }

  async #viewCoverage(sandbox: SandboxFilter): Promise<CoverageView> {
    const { collector, hintFinder, contextOf } = this.#dependencies
    const { coverage } = collector.countsOf(sandbox)
    return viewCoverage(coverage, hintFinder(), await contextOf(sandbox))
  }

  #findTruncation(sandbox: SandboxFilter): Truncation {
    return this.#dependencies.journal.hasLoss(sandbox) ? { truncated: true } : {}
  }

  async retries(sandbox: SandboxFilter): Promise<FindingList<RetryProblem> & Truncation> {
    await this.#dependencies.journal.catchUp()
    const { retries } = this.#dependencies.collector.countsOf(sandbox)
    return { ...toFindingList(retries.findings), ...this.#findTruncation(sandbox) }
  }

  async report(sandbox: SandboxFilter): Promise<Report> {
    return { ...(await this.findings(sandbox)), coverage: await this.#viewCoverage(sandbox) }
  }

  /** Reports everything but the coverage. */
  async findings(sandbox: SandboxFilter): Promise<FindingsReport> {
    const { title, version } = this.#dependencies.contract
    await this.#dependencies.journal.catchUp()
    const { contractFindings, retries, requests } = this.#dependencies.collector.countsOf(sandbox)
    return {
      contract: { title, version },
      run: await this.#dependencies.runOf(sandbox),
      sandbox,
      requests,
      violations: contractFindings.invalidRequestCount,
      unexpected: contractFindings.unexpectedResponseCount,
      expected: contractFindings.expectedCount,
      brokenRules: toFindingList(contractFindings.brokenRules),
      unexpectedResponses: toFindingList(contractFindings.unexpectedResponses),
      advice: toFindingList(contractFindings.advice),
      retries: toFindingList(retries.findings),
      ...this.#findTruncation(sandbox),
    }
  }
}

function toFindingList<T>(tally: CappedTally<T>): FindingList<T> {
  const list = tally.list().map(({ subject, count, requests }) => ({ ...subject, count, requests }))
  return { list, further: tally.further }
}

/** Counts the findings, with those that had no space in the list. */
export function countFindings({ list, further }: FindingList<unknown>): number {
  return list.length + further
}

/** Summarizes a report in one line: `10 requests, 2 broke the contract, 31.6 % of the contract covered`. */
export function summarizeReport(report: Report): string {
  const { requests, violations, unexpected, expected, advice, retries, coverage } = report
  return [
    pluralize(requests, 'request'),
    `${violations} broke the contract`,
    pluralize(unexpected, 'unexpected response'),
    ...(expected > 0 ? [`${expected} refused as expected`] : []),
    pluralize(countFindings(retries), 'retry problem'),
    ...(countFindings(advice) > 0 ? [`${pluralize(countFindings(advice), 'piece')} of advice`] : []),
    `${coverage.percent} % of the contract covered`,
    ...(report.truncated ? ['requests to other replicas may be missing'] : []),
  ].join(', ')
}

/** Writes a count with its noun: `1 request`, `2 requests`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Writes the place of a broken rule: `body /value`, `query /period`. */
export function formatPlace({ in: place, pointer }: BrokenRule): string {
  return pointer === '' ? place : `${place} ${pointer}`
}

/**
 * Writes the operation of an unexpected response, or the request line: `createEvent`, `DELETE /v1/x on no operation`.
 */
export function formatSubject({ operation, method, path }: UnexpectedResponse): string {
  return operation || `${path === '' ? method : `${method} ${path}`} on no operation`
}

/** Writes the requests of a finding: `req-1, req-2`, or `12 times: req-1, req-2 ...` if not all ids are stored. */
export function formatRequests({ count, requests }: Counted<unknown>): string {
  const ids = requests.join(', ')
  return count > requests.length ? `${pluralize(count, 'time')}: ${ids} ...` : ids
}
