import type { Entry } from '../journal/entry.ts'
import type { Whole } from '../journal/journal.ts'
import { Bounded } from './bounded.ts'
import { type Call, callOf } from './calls.ts'
import { Chains } from './chains.ts'
import type { MannersRule } from './manners-rules.ts'
import { isJudged, rudeness, type Try, tryOf } from './tries.ts'

/** One thing that a client did not do as it should. */
export interface Finding {
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
  readonly #chains = new Chains()
  readonly findings = new Bounded<Finding>(mostFindings)

  /** `idempotent`: the ids of the operations that know an `insertId`. */
  constructor(idempotent: ReadonlySet<string>) {
    this.#idempotent = idempotent
  }

  note(entry: Entry, whole: Whole): void {
    this.#noteHeaders(entry)
    if (entry.answer.origin === 'simulator' || entry.brokenOff) return
    // Most requests succeed, and nothing is waiting for them.
    const mayContinue = this.#chains.mayContinue(entry)
    const failed = isJudged(entry)
    if (mayContinue || failed) this.#noteTry(entry, whole, failed)
  }

  join(other: Manners): void {
    this.findings.join(other.findings)
  }

  #noteTry(entry: Entry, whole: Whole, failed: boolean): void {
    const isIdempotent = this.#idempotent.has(entry.operation ?? '')
    const call = callOf(entry, whole, isIdempotent)
    const latest = tryOf(entry, call)
    const chain = this.#chains.find(call)
    const isRetry = chain !== undefined && latest.at >= chain.last.end
    if (!isRetry) {
      // What was sent before the answer was there is no retry of it, but another call at the same time.
      if (failed && latest.end >= (chain?.last.end ?? 0)) this.#begin(call, entry, latest)
      return
    }
    const { pauses, rude } = rudeness(chain, latest, isIdempotent)
    for (const { rule, sentence, waitedMs } of rude) {
      const about = { rule, operation: entry.operation ?? '', sentence, waitedMs }
      const key = [rule, about.operation, chain.name, sentence].join(' ')
      this.findings.add(key, [chain.last.id, entry.id], () => about)
    }
    this.#chains.drop(call)
    if (failed) this.#chains.keep(call, { name: chain.name, last: latest, pauses })
  }

  #begin(call: Call, { number }: Entry, last: Try): void {
    // Padded, so that findings come in the order of the requests.
    this.#chains.keep(call, { name: String(number).padStart(12, '0'), last, pauses: [] })
  }

  #noteHeaders(entry: Entry): void {
    const { headers, body } = entry.request
    if (!headers['user-agent']) this.#find(entry, 'user-agent', 'asked without a User-Agent')
    if (body.size > 0 && headers['content-type'] === undefined)
      this.#find(entry, 'content-type', 'sent a body without a Content-Type')
  }

  #find({ id, request: { method }, operation = '' }: Entry, rule: MannersRule, what: string): void {
    this.findings.add(`${rule} ${operation} ${method}`, [id], () => {
      const sentence = `${operation || method} was ${what}.`
      return { rule, operation, sentence, waitedMs: undefined }
    })
  }
}
