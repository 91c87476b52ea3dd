import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import {
  type Attempt,
  classifyAttempt,
  hasFailed,
  isWaiting,
  judgeRetry,
  type RetryChain,
  toAttempt,
} from './attempts.ts'
import { type CallKey, createCallKey } from './call-key.ts'
import { CappedTally } from './capped-tally.ts'
import type { MannersRule } from './manners-rules.ts'
import { ParallelCalls } from './parallel-calls.ts'
import { type RequestTrace, traceRequest } from './request-trace.ts'
import { RetryChains } from './retry-chains.ts'

/** A rule of manners that a client broke. */
export interface MannersFinding {
  readonly rule: MannersRule
  /** The `operationId`; empty where the request matches no operation. */
  readonly operation: string
  /** A description without times of the machine, so that it is the same in every run. */
  readonly sentence: string
  /** The client's pause, milliseconds; undefined for a rule without a time. */
  readonly waitedMs: number | undefined
  /** The trace of the retry, or of the request with the faulty headers. */
  readonly first: RequestTrace
}

/** The largest number of findings that are stored; further ones are only counted. */
const maxFindings = 100

/**
 * The manners of a client: it waits out `Retry-After`, backs off, retries with the same `insertId`, does not repeat refused requests,
 * and sends `Content-Type` and `User-Agent`.
 *
 * Attempts of one call have the same method, path, query and caller, and the same `insertId` or, without one, the same body. Two
 * tests that send the same call in one sandbox look like a retry, so each test should have a sandbox of its own. Only failed calls
 * are stored, at most 128.
 */
export class Manners {
  readonly #idempotentOperations: ReadonlySet<string>
  readonly #chains = new RetryChains()
  readonly #parallelCalls = new ParallelCalls()
  readonly findings = new CappedTally<MannersFinding>(maxFindings)

  /** `idempotentOperations`: the ids of the operations whose body has an `insertId`. */
  constructor(idempotentOperations: ReadonlySet<string>) {
    this.#idempotentOperations = idempotentOperations
  }

  /** Judges an exchange, and adds a finding for each rule that it breaks. */
  record(entry: JournalEntry, live: LiveExchange): void {
    if (entry.expectation) return // a negative test is impolite on purpose
    this.#checkHeaders(entry)
    if (entry.answer.origin === 'simulator' || entry.aborted) return
    this.#parallelCalls.record(entry, live)
    const canContinue = this.#chains.canContinue(entry, live.sentAt)
    const failed = hasFailed(entry)
    if (canContinue || failed) this.#recordAttempt(entry, live, failed)
  }

  /** Adds the findings of other manners. */
  merge(other: Manners): void {
    this.findings.merge(other.findings)
  }

  #recordAttempt(entry: JournalEntry, live: LiveExchange, failed: boolean): void {
    const isIdempotent = this.#idempotentOperations.has(entry.operation ?? '')
    const call = createCallKey(entry, live, isIdempotent)
    const latest = toAttempt(entry, live, call)
    const chain = this.#chains.find(call)
    if (!chain) {
      if (failed) this.#beginChain(call, entry, latest)
      return
    }
    const kind = classifyAttempt(latest, chain)
    const isOtherEvent = kind === 'parallel' && latest.insertId !== chain.last.insertId
    if (kind === 'retry') this.#continueChain(call, chain, latest, this.#judge(entry, chain, latest))
    else if (!isOtherEvent && isWaiting(latest, chain))
      this.#chains.store(call, { ...chain, isParallel: true }) // the retry of its last attempt is still to come
    else if (kind === 'unclear') this.#continueChain(call, chain, latest, [])
    else if (failed) this.#beginChain(call, entry, latest)
  }

  /** Adds a finding for each rule that a retry breaks. @returns the pauses of the continued chain */
  #judge(entry: JournalEntry, chain: RetryChain, latest: Attempt): readonly number[] {
    const { id, operation = '' } = entry
    const { pauses, faults } = judgeRetry(chain, latest, this.#idempotentOperations.has(operation))
    for (const { rule, sentence, waitedMs } of faults) {
      const key = [rule, operation, chain.name, sentence].join(' ')
      this.findings.add(key, [chain.last.id, id], () => ({
        rule,
        operation,
        sentence,
        waitedMs,
        first: traceRequest(entry),
      }))
    }
    return pauses
  }

  #continueChain(call: CallKey, chain: RetryChain, latest: Attempt, pauses: readonly number[]): void {
    this.#chains.remove(call)
    if (latest.outcome !== 'fine') this.#chains.store(call, { ...chain, last: latest, pauses })
  }

  #beginChain(call: CallKey, { number }: JournalEntry, last: Attempt): void {
    // The name is padded, so that findings are sorted in the order of the requests.
    const name = String(number).padStart(12, '0')
    const isParallel = this.#parallelCalls.areExpected(call.kind, last.sentAt)
    this.#chains.store(call, { name, last, isParallel, pauses: [] })
  }

  #checkHeaders(entry: JournalEntry): void {
    const { headers, body } = entry.request
    if (!headers['user-agent']) this.#addHeaderFinding(entry, 'user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      this.#addHeaderFinding(entry, 'content-type', 'sent a body without a Content-Type')
  }

  #addHeaderFinding(entry: JournalEntry, rule: MannersRule, fault: string): void {
    const { id, request, operation = '' } = entry
    const { method } = request
    this.findings.add(`${rule} ${operation} ${method}`, [id], () => {
      const sentence = `${operation || method} was ${fault}.`
      return { rule, operation, sentence, waitedMs: undefined, first: traceRequest(entry) }
    })
  }
}
