import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import type { TrafficFindings } from './findings.ts'
import { type RetryFault, type RetryRule, retryRules } from './judge-retry.ts'
import { traceRequest } from './request-trace.ts'
import { RetryTracker } from './retry-tracker.ts'

/**
 * The retries of a client: it waits out `Retry-After`, backs off, retries with the same `insertId`, does not repeat
 * refused requests, and sends `Content-Type` and `User-Agent`.
 *
 * Two tests that send the same call in one sandbox look like a retry, so each test should have a sandbox of its own.
 */
export class RetryProblems {
  readonly #findings: TrafficFindings
  readonly #tracker: RetryTracker

  constructor(findings: TrafficFindings, ...options: ConstructorParameters<typeof RetryTracker>) {
    this.#findings = findings
    this.#tracker = new RetryTracker(...options)
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (entry.expectation) return // a negative test breaks retry rules on purpose
    this.#checkHeaders(entry)
    const tracked = this.#tracker.record(entry, live)
    if (!tracked?.previous) return // the first attempt of a chain is not a retry
    const { chain, previous, faults } = tracked
    for (const fault of faults) this.#add(entry, fault, `${chain.name} ${fault.sentence}`, [previous.id, entry.id])
  }

  /** Goes on with another end of the delivery of an exchange that it has judged. */
  correct(entry: JournalEntry, live: LiveExchange): void {
    if (!entry.expectation) this.#tracker.correct(entry, live)
  }

  #checkHeaders(entry: JournalEntry): void {
    const { id, operation = '', request } = entry
    const { method, headers, body } = request
    const add = (rule: RetryRule, fault: string) =>
      this.#add(entry, { rule, sentence: `${operation || method} was ${fault}.` }, method, [id])
    if (!headers['user-agent']) add('user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      add('content-type', 'sent a body without a Content-Type')
  }

  /** `subject`: what tells findings on one rule and operation apart. */
  #add(entry: JournalEntry, fault: RetryFault, subject: string, requests: readonly string[]): void {
    const { rule, sentence, waitedMs } = fault
    const { operation = '' } = entry
    this.#findings.retries.add(`${rule} ${operation} ${subject}`, requests, () => ({
      title: `${operation || 'no operation'}: ${rule}`,
      sentence: `${sentence} ${retryRules[rule]}`,
      members: { rule, operation, sentence },
      first: traceRequest(entry),
      waitedMs,
    }))
  }
}
