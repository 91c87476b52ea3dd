import type { Contract } from '../contract/contract.ts'
import type { CappedTally } from './capped-tally.ts'
import type { BrokenRule, Unexpected } from './contract-findings.ts'
import { type CoverageView, type PreviewWorld, viewCoverage } from './coverage-view.ts'
import type { EvidenceCollector } from './evidence-collector.ts'
import type { HintFinder } from './hint-finder.ts'
import type { MannersFinding } from './manners.ts'
import { mannersRules } from './manners-rules.ts'

/** Something with the requests that showed it. */
export type Counted<T> = T & {
  /** How many requests showed it. */
  readonly count: number
  /** The ids of the first of them. */
  readonly requests: readonly string[]
}

/** The findings of one kind; there is room for a number of them. */
export interface Found<T> {
  readonly list: readonly Counted<T>[]
  /** How often something was found that there was no room for. */
  readonly further: number
}

/**
 * What the clients of a sandbox, or of all, did. Says nothing of the machine's time, and everything in an order that does not
 * depend on it: the same requests give the same report.
 */
export interface Report {
  readonly contract: { readonly title: string; readonly version: string }
  /** Undefined: all that there were, with those that are gone. */
  readonly sandbox: string | undefined
  /** Exchanges with the service, refused or not. */
  readonly requests: number
  /** Requests that broke the contract. */
  readonly violations: number
  /** Answers of 400 or more that no scenario was asked for, but for those that a violation explains. */
  readonly unexpected: number
  readonly brokenRules: Found<BrokenRule>
  readonly unexpectedAnswers: Found<Unexpected>
  readonly manners: Found<MannersFinding>
  readonly coverage: CoverageView
}

/** Whose evidence is asked for; undefined: everybody's. */
export type SandboxFilter = string | undefined

export interface ReporterParts {
  readonly contract: Pick<Contract, 'title' | 'version'>
  readonly witness: EvidenceCollector
  readonly ways: HintFinder
  /** The seed and the time of a sandbox, or of the default one. */
  readonly placeOf: (whose: SandboxFilter) => PreviewWorld
}

/** Tells what was witnessed. */
export class Reporter {
  readonly #parts: ReporterParts

  constructor(parts: ReporterParts) {
    this.#parts = parts
  }

  coverage(whose: SandboxFilter): CoverageView {
    const { witness, ways, placeOf } = this.#parts
    return viewCoverage(witness.of(whose).coverage, witness.plan, ways, placeOf(whose))
  }

  manners(whose: SandboxFilter): Found<MannersFinding> & { readonly rules: typeof mannersRules } {
    return { rules: mannersRules, ...foundIn(this.#parts.witness.of(whose).manners.findings) }
  }

  report(whose: SandboxFilter): Report {
    const { title, version } = this.#parts.contract
    const { contractFindings, manners, requests } = this.#parts.witness.of(whose)
    return {
      contract: { title, version },
      sandbox: whose,
      requests,
      violations: contractFindings.requestsThatBroke,
      unexpected: contractFindings.answersUnexpected,
      brokenRules: foundIn(contractFindings.broken),
      unexpectedAnswers: foundIn(contractFindings.unexpected),
      manners: foundIn(manners.findings),
      coverage: this.coverage(whose),
    }
  }
}

function foundIn<T>(bounded: CappedTally<T>): Found<T> {
  const list = bounded.list().map(({ subject, count, requests }) => ({ ...subject, count, requests }))
  return { list, further: bounded.further }
}

/** How many findings there are, with those that there was no room for. */
export function totalOf({ list, further }: Found<unknown>): number {
  return list.length + further
}

/** One line: `10 requests, 2 broke the contract, 1 unexpected answer, 3 findings on manners, 31.6 % of the contract covered`. */
export function summaryOf({ requests, violations, unexpected, manners, coverage }: Report): string {
  return [
    pluralize(requests, 'request'),
    `${violations} broke the contract`,
    pluralize(unexpected, 'unexpected answer'),
    `${pluralize(totalOf(manners), 'finding')} on manners`,
    `${coverage.percent} % of the contract covered`,
  ].join(', ')
}

/** `1 request`, `2 requests`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `body /value`, `query /period`. */
export function placeOf({ in: place, pointer }: BrokenRule): string {
  return pointer === '' ? place : `${place} ${pointer}`
}

/** What was asked, where there is no operation to name. */
export function subjectOf({ operation, method }: Unexpected): string {
  return operation || `${method} on no operation`
}

/** `req-1, req-2`, or `12 times: req-1, req-2 ...` where not all ids are kept. */
export function seenIn({ count, requests }: Counted<unknown>): string {
  const ids = requests.join(', ')
  return count > requests.length ? `${pluralize(count, 'time')}: ${ids} ...` : ids
}
