import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import { type Attempt, hasFailed, isSentAfter, judgeRetry, toAttempt } from './attempts.ts'
import { type CallKey, createCallKey } from './call-key.ts'
import { CappedTally } from './capped-tally.ts'
import type { MannersRule } from './manners-rules.ts'
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
  readonly findings = new CappedTally<MannersFinding>(maxFindings)

  /** `idempotentOperations`: the ids of the operations whose body has an `insertId`. */
  constructor(idempotentOperations: ReadonlySet<string>) {
    this.#idempotentOperations = idempotentOperations
  }

  /** Judges an exchange, and adds a finding for each rule that it breaks. */
  record(entry: JournalEntry, live: LiveExchange): void {
    this.#checkHeaders(entry)
    if (entry.answer.origin === 'simulator' || entry.aborted) return
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
    const isRetry = chain !== undefined && isSentAfter(latest, chain.last)
    if (!isRetry) {
      // A request that arrived before the last answer was sent is no retry, but a concurrent call.
      if (failed && latest.endedAt >= (chain?.last.endedAt ?? 0)) this.#beginChain(call, entry, latest)
      return
    }
    const { pauses, faults } = judgeRetry(chain, latest, isIdempotent)
    for (const { rule, sentence, waitedMs } of faults) {
      const finding = { rule, operation: entry.operation ?? '', sentence, waitedMs }
      const key = [rule, finding.operation, chain.name, sentence].join(' ')
      this.findings.add(key, [chain.last.id, entry.id], () => finding)
    }
    this.#chains.remove(call)
    if (failed) this.#chains.store(call, { name: chain.name, last: latest, pauses })
  }

  #beginChain(call: CallKey, { number }: JournalEntry, last: Attempt): void {
    // The name is padded, so that findings are sorted in the order of the requests.
    this.#chains.store(call, { name: String(number).padStart(12, '0'), last, pauses: [] })
  }

  #checkHeaders(entry: JournalEntry): void {
    const { headers, body } = entry.request
    if (!headers['user-agent']) this.#addHeaderFinding(entry, 'user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      this.#addHeaderFinding(entry, 'content-type', 'sent a body without a Content-Type')
  }

  #addHeaderFinding(
    { id, request: { method }, operation = '' }: JournalEntry,
    rule: MannersRule,
    fault: string,
  ): void {
    this.findings.add(`${rule} ${operation} ${method}`, [id], () => {
      const sentence = `${operation || method} was ${fault}.`
      return { rule, operation, sentence, waitedMs: undefined }
    })
  }
}
