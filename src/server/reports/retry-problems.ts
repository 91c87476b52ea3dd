import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import { CappedTally } from './capped-tally.ts'
import type { RetryFault, RetryRule } from './judge-retry.ts'
import { type RequestTrace, traceRequest } from './request-trace.ts'
import { RetryTracker, type TrackedAttempt } from './retry-tracker.ts'

export interface RetryProblem extends RetryFault {
  /** The `operationId`; empty where the request matches no operation. */
  readonly operation: string
  /** The trace of the retry, or of the request with the faulty headers. */
  readonly first: RequestTrace
}

const maxFindings = 100

/**
 * The retries of a client: it waits out `Retry-After`, backs off, retries with the same `insertId`, does not repeat
 * refused requests, and sends `Content-Type` and `User-Agent`.
 *
 * Two tests that send the same call in one sandbox look like a retry, so each test should have a sandbox of its own.
 */
export class RetryProblems {
  readonly #tracker: RetryTracker
  readonly findings = new CappedTally<RetryProblem>(maxFindings)

  /** `idempotentOperations`: the ids of the operations whose body has an `insertId`. */
  constructor(idempotentOperations: Pick<ReadonlySet<string>, 'has'>) {
    this.#tracker = new RetryTracker(idempotentOperations)
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    if (entry.expectation) return // a negative test is impolite on purpose
    this.#checkHeaders(entry)
    const tracked = this.#tracker.record(entry, live)
    if (tracked) this.#addFaults(entry, tracked)
  }

  /** Goes on with another end of the delivery of an exchange that it has judged. */
  correct(entry: JournalEntry, live: LiveExchange): void {
    if (!entry.expectation) this.#tracker.correct(entry, live)
  }

  merge(other: RetryProblems): void {
    this.findings.merge(other.findings)
  }

  #addFaults(entry: JournalEntry, { chain, previous, faults }: TrackedAttempt): void {
    if (!previous) return // the first attempt of a chain is no retry
    const { id, operation = '' } = entry
    for (const { rule, sentence, waitedMs } of faults) {
      const key = [rule, operation, chain.name, sentence].join(' ')
      this.findings.add(key, [previous.id, id], () => ({
        rule,
        operation,
        sentence,
        waitedMs,
        first: traceRequest(entry),
      }))
    }
  }

  #checkHeaders(entry: JournalEntry): void {
    const { headers, body } = entry.request
    if (!headers['user-agent']) this.#addHeaderFinding(entry, 'user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      this.#addHeaderFinding(entry, 'content-type', 'sent a body without a Content-Type')
  }

  #addHeaderFinding(entry: JournalEntry, rule: RetryRule, fault: string): void {
    const { id, request, operation = '' } = entry
    const { method } = request
    this.findings.add(`${rule} ${operation} ${method}`, [id], () => {
      const sentence = `${operation || method} was ${fault}.`
      return { rule, operation, sentence, waitedMs: undefined, first: traceRequest(entry) }
    })
  }
}
