import type { Log } from '../../base/core/log.ts'
import { reasonOf } from '../../base/core/result.ts'
import type { MessagePlace } from '../../state/exchanges.ts'
import type { DeliveryEnd, ExchangeRecord, JournalEntry, LiveExchange, Recorded } from './entry.ts'

/** The milliseconds by which the end of a delivery may be later than announced, fewer if a retry is judged by it. */
const TOLERANCE_MS = 100
const FAILED_TOLERANCE_MS = 10

/** What appends exchanges of this process for all replicas. */
interface Appender {
  append(entry: JournalEntry, live: LiveExchange): Promise<MessagePlace | undefined>
  correct(place: MessagePlace, end: DeliveryEnd): Promise<void>
  markLost(sandbox: string): void
}

/** Begins the record of an exchange, which is appended before its response is sent or, unannounced, at its end. */
export function beginSharedRecord(appender: Appender, log: Log, onEnd: (recorded: Recorded) => void): ExchangeRecord {
  let announced: Recorded | undefined
  let isRefused = false
  let appended: Promise<MessagePlace | undefined>
  const append = (exchange: Recorded) => {
    appended = appender.append(...exchange)
    return appended
  }
  const warn = ({ id }: JournalEntry, error: unknown) => {
    const fields = { requestId: id, reason: reasonOf(error) }
    log.warn(fields, 'an exchange, or its end, is missing in the journal of the other replicas')
  }
  const lose = (entry: JournalEntry, error: unknown) => {
    appender.markLost(entry.sandbox)
    warn(entry, error)
  }
  const correct = ([entry]: Recorded) => {
    appended.then((place) => place && appender.correct(place, entry)).catch((error) => warn(entry, error))
  }
  return {
    announce: async (expected) => {
      isRefused = true
      await append(expected)
      isRefused = false
      announced = expected
    },
    end: (end, create) => {
      const [entry, live] = announced ?? create()
      const delivery = entry.aborted ? entry.delivery : end.delivery
      const ended: Recorded = [{ ...entry, ...end, delivery }, live]
      if (announced && isOtherwise(ended[0], entry)) correct(ended)
      if (!announced && !isRefused) append(ended).catch((error) => lose(entry, error))
      onEnd(ended)
      return ended
    },
    correct,
  }
}

function isOtherwise(ended: JournalEntry, expected: JournalEntry): boolean {
  const isFailed = ended.response.status >= 400 || ended.delivery.kind !== 'delivered'
  return (
    ended.delivery.kind !== expected.delivery.kind ||
    ended.hasClientLeft !== expected.hasClientLeft ||
    (ended.headSentAt === undefined) !== (expected.headSentAt === undefined) ||
    Math.abs(ended.endedAt - expected.endedAt) > (isFailed ? FAILED_TOLERANCE_MS : TOLERANCE_MS)
  )
}
