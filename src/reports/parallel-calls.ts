import type { JournalEntry } from '../journal/entry.ts'
import type { LiveExchange } from '../journal/journal.ts'
import { callKind } from './call-key.ts'

/** The time for which a client that asked in parallel is expected to send further such requests, milliseconds. */
const expectedMs = 1000

/** The largest number of kinds that are stored. */
const maxKinds = 128

type RequestLine = Pick<JournalEntry['request'], 'method' | 'path' | 'query'>

/**
 * Kinds of calls that a client makes in parallel: two successive ones were under way at the same time. Then a request that follows a
 * failed one can be a first attempt that waited for a free connection.
 */
export class ParallelCalls {
  /** The time of the latest overlap of a kind, by the process's monotonic clock, milliseconds; the latest kind is last. */
  readonly #overlaps = new Map<string, number>()
  #previous: RequestLine | undefined
  #previousEnd = 0

  /** Compares an exchange with the one that ended before it. */
  record(entry: JournalEntry, { sentAt, endedAt }: LiveExchange): void {
    if (sentAt < this.#previousEnd && isSameLine(entry.request, this.#previous))
      this.#store(callKind(entry), endedAt)
    this.#previous = entry.request
    this.#previousEnd = endedAt
  }

  /** Returns true where a request of this kind that was sent at this time is expected to be one of several parallel ones. */
  areExpected(kind: string, sentAt: number): boolean {
    return sentAt - (this.#overlaps.get(kind) ?? Number.NEGATIVE_INFINITY) < expectedMs
  }

  #store(kind: string, at: number): void {
    this.#overlaps.delete(kind)
    this.#overlaps.set(kind, at)
    const [oldest] = this.#overlaps.keys()
    if (this.#overlaps.size > maxKinds && oldest !== undefined) this.#overlaps.delete(oldest)
  }
}

function isSameLine({ method, path, query }: RequestLine, other: RequestLine | undefined): boolean {
  return other !== undefined && path === other.path && method === other.method && query === other.query
}
