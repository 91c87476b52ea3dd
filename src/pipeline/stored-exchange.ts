import type { Log } from '../core/log.ts'
import { reasonOf } from '../core/result.ts'
import type { ClientSight, DeliveryOutcome } from '../exchange/delivery.ts'
import type { Reply } from '../exchange/reply.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Journal, LiveExchange } from '../journal/journal.ts'
import type { AppendedExchange } from '../state/exchanges.ts'

export interface EndedExchange {
  readonly reply: Reply
  readonly entry: JournalEntry
  readonly live: LiveExchange
}

/** Creates the record of an exchange with a reply and the end of its delivery. */
export type CreateRecord = (reply: Reply, outcome: DeliveryOutcome, sight: ClientSight | undefined) => EndedExchange

/** The milliseconds by which the end of a delivery may be later than stored, fewer if a retry is judged by it. */
const TOLERANCE_MS = 100
const FAILED_TOLERANCE_MS = 10

/** An exchange in the journal of all replicas: stored before its answer has ended, and corrected later if needed. */
export class StoredExchange {
  readonly #create: CreateRecord
  readonly #shared: NonNullable<Journal['shared']>
  readonly #log: Log
  #reply: Reply
  /** The exchange with its expected end, and the result of its append; undefined until it is stored. */
  #stored: { readonly expected: EndedExchange; readonly appended: Promise<AppendedExchange | undefined> } | undefined
  #isRefused = false

  constructor(reply: Reply, create: CreateRecord, shared: NonNullable<Journal['shared']>, log: Log) {
    this.#reply = reply
    this.#create = create
    this.#shared = shared
    this.#log = log
  }

  /** Stores the exchange with its expected end. Resolves to the refusal to send, made by `refuse`, at a failure. */
  async store(
    outcome: DeliveryOutcome,
    sight: ClientSight,
    refuse: (error: unknown) => Reply | undefined,
  ): Promise<Reply | undefined> {
    if (this.#stored) return undefined // its client had left before
    try {
      await this.#append(this.#create(this.#reply, outcome, sight))
      return undefined
    } catch (error) {
      const refusal = refuse(error)
      if (!refusal) throw error
      this.#isRefused = true
      this.#reply = refusal
      return refusal
    }
  }

  #append(expected: EndedExchange): Promise<AppendedExchange | undefined> {
    const appended = this.#shared.append(expected.entry, expected.live)
    this.#stored = { expected, appended }
    return appended
  }

  /** Returns the exchange with its end, which is stored if it is not the expected one. */
  end(outcome: DeliveryOutcome, sight: ClientSight | undefined, endedAt: number): EndedExchange {
    if (this.#isRefused) return this.#create(this.#reply, outcome, sight)
    if (!this.#stored) {
      const ended = this.#create(this.#reply, outcome, sight)
      this.#append(ended).catch((error) => {
        this.#shared.markLost(ended.entry.sandbox)
        this.#warn(ended, error)
      })
      return ended
    }
    const { expected } = this.#stored
    const { entry } = expected
    const delivery = entry.aborted ? entry.delivery : outcome
    const hasClientLeft = sight?.hasClientLeft ?? false
    const ended = { ...expected, entry: { ...entry, delivery, hasClientLeft, headSentAt: sight?.headSentAt, endedAt } }
    if (isOtherwise(ended.entry, entry)) this.correct(ended)
    return ended
  }

  /** Stores another end of the exchange than the one before. */
  correct(ended: EndedExchange): void {
    this.#stored?.appended
      .then((stored) => (stored === undefined ? undefined : this.#shared.correct(stored, ended.entry)))
      .catch((error) => this.#warn(ended, error))
  }

  #warn({ entry }: EndedExchange, error: unknown): void {
    const fields = { requestId: entry.id, reason: reasonOf(error) }
    this.#log.warn(fields, 'an exchange, or its end, is missing in the journal of the other replicas')
  }
}

function isOtherwise(ended: JournalEntry, expected: JournalEntry): boolean {
  const isFailed = ended.answer.status >= 400 || ended.delivery.kind !== 'delivered'
  return (
    ended.delivery.kind !== expected.delivery.kind ||
    ended.hasClientLeft !== expected.hasClientLeft ||
    (ended.headSentAt === undefined) !== (expected.headSentAt === undefined) ||
    ended.endedAt > expected.endedAt + (isFailed ? FAILED_TOLERANCE_MS : TOLERANCE_MS)
  )
}
