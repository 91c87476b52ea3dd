import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import { type Attempt, attemptOf, isJudged, judgeRetry } from './attempts.ts'
import { type CallKey, callKeyOf } from './call-key.ts'
import { CappedTally } from './capped-tally.ts'
import type { MannersRule } from './manners-rules.ts'
import { RetryChains } from './retry-chains.ts'

/** One thing that a client did not do as it should. */
export interface MannersFinding {
  readonly rule: MannersRule
  /** Empty where the request met none. */
  readonly operation: string
  /** What happened; says nothing of the machine's time, so that it is the same in every run. */
  readonly sentence: string
  /** How long the client waited, milliseconds; undefined where that is not the point. */
  readonly waitedMs: number | undefined
}

/** Findings that are kept. */
const mostFindings = 100

/**
 * Whether the client was polite, call by call: a call is the same method, path, query and caller, with the same `insertId` or,
 * without one, the same body. Only calls that failed are remembered, a limited number of them. Two tests that send the same
 * call in one sandbox look like a retry: give each a sandbox of its own.
 */
export class Manners {
  readonly #idempotent: ReadonlySet<string>
  readonly #chains = new RetryChains()
  readonly findings = new CappedTally<MannersFinding>(mostFindings)

  /** `idempotent`: the ids of the operations that know an `insertId`. */
  constructor(idempotent: ReadonlySet<string>) {
    this.#idempotent = idempotent
  }

  record(entry: JournalEntry, whole: LiveExchange): void {
    this.#noteHeaders(entry)
    if (entry.answer.origin === 'simulator' || entry.aborted) return
    // Most requests succeed, and nothing is waiting for them.
    const mayContinue = this.#chains.mayContinue(entry)
    const failed = isJudged(entry)
    if (mayContinue || failed) this.#noteTry(entry, whole, failed)
  }

  merge(other: Manners): void {
    this.findings.merge(other.findings)
  }

  #noteTry(entry: JournalEntry, whole: LiveExchange, failed: boolean): void {
    const isIdempotent = this.#idempotent.has(entry.operation ?? '')
    const call = callKeyOf(entry, whole, isIdempotent)
    const latest = attemptOf(entry, call)
    const chain = this.#chains.find(call)
    const isRetry = chain !== undefined && latest.at >= chain.last.end
    if (!isRetry) {
      // What was sent before the answer was there is no retry of it, but another call at the same time.
      if (failed && latest.end >= (chain?.last.end ?? 0)) this.#begin(call, entry, latest)
      return
    }
    const { pauses, rude } = judgeRetry(chain, latest, isIdempotent)
    for (const { rule, sentence, waitedMs } of rude) {
      const about = { rule, operation: entry.operation ?? '', sentence, waitedMs }
      const key = [rule, about.operation, chain.name, sentence].join(' ')
      this.findings.add(key, [chain.last.id, entry.id], () => about)
    }
    this.#chains.drop(call)
    if (failed) this.#chains.keep(call, { name: chain.name, last: latest, pauses })
  }

  #begin(call: CallKey, { number }: JournalEntry, last: Attempt): void {
    // Padded, so that findings come in the order of the requests.
    this.#chains.keep(call, { name: String(number).padStart(12, '0'), last, pauses: [] })
  }

  #noteHeaders(entry: JournalEntry): void {
    const { headers, body } = entry.request
    if (!headers['user-agent']) this.#find(entry, 'user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      this.#find(entry, 'content-type', 'sent a body without a Content-Type')
  }

  #find({ id, request: { method }, operation = '' }: JournalEntry, rule: MannersRule, what: string): void {
    this.findings.add(`${rule} ${operation} ${method}`, [id], () => {
      const sentence = `${operation || method} was ${what}.`
      return { rule, operation, sentence, waitedMs: undefined }
    })
  }
}
