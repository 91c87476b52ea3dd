import { isObject } from '../core/json.ts'
import type { Place } from '../documents/violation.ts'
import type { Origin } from '../exchange/exchange.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import { CappedTally } from './capped-tally.ts'

/** A rule of the contract that requests broke. */
export interface BrokenRule {
  readonly operation: string
  readonly in: Place
  /** With a star for each index. */
  readonly pointer: string
  readonly keyword: string
  /** Of the first request. */
  readonly message: string
}

/** An answer that nobody asked for. */
export interface Unexpected {
  /** Empty where the request met none. */
  readonly operation: string
  readonly method: string
  readonly status: number
  readonly origin: Origin
  /** Of the first request; empty where the answer has none. */
  readonly message: string
}

/** Kinds of fault that are kept apart. */
const mostKinds = 100

/** Whether a bearer token is one of the fixtures', which lead to what they are for. */
export type IsMagicKey = (token: string) => boolean

/**
 * Requests that broke the contract, and answers that were not expected: a status of 400 or more that no scenario was asked
 * for, and that somebody was there to get. A refusal whose reason is a broken rule is told of as that, and a suite that means to see a refusal asks for it, by a
 * scenario or by a magic key: one whose plan is refused (403) was chosen for that.
 */
export class ContractFindings {
  readonly #isMagicKey: IsMagicKey
  readonly broken = new CappedTally<BrokenRule>(mostKinds)
  readonly unexpected = new CappedTally<Unexpected>(mostKinds)
  /** Requests that broke at least one rule. */
  requestsThatBroke = 0
  /** Answers that were not expected. */
  answersUnexpected = 0

  constructor(isMagicKey: IsMagicKey) {
    this.#isMagicKey = isMagicKey
  }

  record(entry: JournalEntry, { answerBody, token }: LiveExchange): void {
    if (entry.aborted) return
    const { status, origin } = entry.answer
    if (entry.violations.length > 0) this.#noteBroken(entry)
    else if (status >= 400 && origin !== 'scenario' && !(status === 403 && this.#isMagicKey(token ?? '')))
      this.#noteUnexpected(entry, isObject(answerBody) ? String(answerBody['error'] ?? '') : '')
  }

  merge(other: ContractFindings): void {
    this.broken.merge(other.broken)
    this.unexpected.merge(other.unexpected)
    this.requestsThatBroke += other.requestsThatBroke
    this.answersUnexpected += other.answersUnexpected
  }

  #noteBroken({ id, operation = '', violations }: JournalEntry): void {
    this.requestsThatBroke += 1
    const seen = new Set<string>()
    for (const { in: place, pointer, keyword, message } of violations) {
      const general = pointer.replace(/\/\d+(?=\/|$)/g, '/*')
      const key = JSON.stringify([operation, place, general, keyword])
      // Once a request, however many items of a list are wrong.
      if (seen.has(key)) continue
      seen.add(key)
      this.broken.add(key, [id], () => ({ operation, in: place, pointer: general, keyword, message }))
    }
  }

  #noteUnexpected(
    { id, operation = '', request: { method }, answer: { status, origin } }: JournalEntry,
    message: string,
  ): void {
    this.answersUnexpected += 1
    const key = JSON.stringify([operation, operation === '' ? method : '', status, origin])
    this.unexpected.add(key, [id], () => ({ operation, method, status, origin, message }))
  }
}
