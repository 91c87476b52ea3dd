import { isObject, type Json } from '../../../src/base/core/json.ts'
import type { JournalEntry } from '../../../src/server/journal/entry.ts'
import { Journal } from '../../../src/server/journal/journal.ts'
import { RetryProblems } from '../../../src/server/reports/retry-problems.ts'
import { type DeliveryOutcome, delivered } from '../../../src/service/exchange/delivery.ts'
import { entryFor, unparsed } from '../journal/entries.ts'

/** An attempt of the call with its response. Times are in milliseconds, of the machine. */
export interface SampleAttempt {
  readonly at: number
  readonly status: number
  /** The sandbox's time. Default: 0. */
  readonly now?: number
  /** The duration of the response. Default: 0. */
  readonly takes?: number
  readonly headers?: Record<string, string>
  /** Default: delivered. */
  readonly delivery?: DeliveryOutcome
  readonly body?: Json
  /** Headers of the request. */
  readonly sent?: Record<string, string>
  /** The time at which the head of the response was sent. Default: it was not. */
  readonly headSentAt?: number
  /** The time at which the connection was opened. Default: for an earlier request. */
  readonly openedAt?: number
  /** True where the client closed the connection. Default: false. */
  readonly hasLeft?: boolean
}

/** The delivery of a response whose client had closed the connection. */
export const lost = { delivery: { kind: 'client-gone', sentBytes: 0 } as const }

/**
 * Creates retries whose entries can be corrected. `correct`: the response was lost after all. `rules`: those broken.
 */
export function createTracked(idempotentOperations = new Set(['createEvent'])) {
  const journal = new Journal(100)
  const retries = new RetryProblems(idempotentOperations)
  journal.onEntry((entry, live) => (live.isCorrection ? retries.correct(entry, live) : retries.record(entry, live)))
  const send = (attempt: SampleAttempt) => {
    const exchange = exchangeOf(journal, attempt)
    journal.record(...exchange)
    return exchange
  }
  const correct = ([entry, live]: ReturnType<typeof exchangeOf>, endedAt: number) => {
    const end = { ...lost, endedAt, headSentAt: undefined, hasClientLeft: true }
    journal.correct(entry.number, end, () => ({ ...live, isCorrection: true }))
  }
  const rules = () =>
    retries.findings.list().flatMap(({ subject, count }) => Array.from({ length: count }, () => subject.rule))
  return { retries, send, correct, rules }
}

function exchangeOf(
  journal: Journal,
  { at, status, now = 0, takes = 0, headers = {}, delivery = delivered, ...others }: SampleAttempt,
) {
  const { body, sent = {}, headSentAt, openedAt, hasLeft = false } = others
  const entry: JournalEntry = {
    ...entryFor(journal, {
      request: { headers: { 'user-agent': 'test', 'content-type': 'application/json', ...sent } },
      response: { status, headers },
      requestBody: JSON.stringify(body ?? { insertId: 'a' }),
    }),
    at,
    now,
    delivery,
    receivedAt: at,
    endedAt: at + takes,
    headSentAt,
    openedAt,
    hasClientLeft: hasLeft,
  }
  const request = isObject(body) ? body : { insertId: 'a' }
  return [entry, { ...unparsed, request, token: 'k' }] as const
}
