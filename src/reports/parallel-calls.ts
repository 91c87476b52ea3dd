import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, isSentAfter } from './attempts.ts'
import { callKind } from './call-key.ts'

/** The time for which a client that asked in parallel is expected to send further such requests, milliseconds. */
const expectedMs = 1000

/** The largest number of kinds that are stored. */
const maxKinds = 128

/**
 * Kinds of calls that a client makes in parallel: two successive ones were under way at the same time. Then a request
 * that follows a failed one can be a first attempt that waited for a free connection. Times are those of the process's
 * monotonic clock, milliseconds.
 */
export class ParallelCalls {
  /** The times of the latest overlaps by kind, without that of `#latest`; the latest kind is last. */
  readonly #overlaps = new Map<string, number>()
  /** The latest exchange. Its kind is computed only if needed, since most exchanges have that of the one before. */
  #latest: JournalEntry | undefined
  #latestEnd = 0
  /** The time of the latest overlap of the kind of `#latest`; undefined for none. */
  #latestOverlap: number | undefined

  /** Compares an exchange with the one that ended before it. */
  record(entry: JournalEntry): void {
    const { endedAt } = entry
    if (!isSameKind(entry, this.#latest)) this.#storeLatest()
    else if (!isSentAfter(entry, this.#latestEnd)) this.#latestOverlap = endedAt
    this.#latest = entry
    this.#latestEnd = endedAt
  }

  /** Returns true where a request of this kind is expected to be one of several parallel ones. */
  areExpected(kind: string, { receivedAt }: Attempt): boolean {
    this.#storeLatest()
    return receivedAt - (this.#overlaps.get(kind) ?? Number.NEGATIVE_INFINITY) < expectedMs
  }

  #storeLatest(): void {
    if (!this.#latest || this.#latestOverlap === undefined) return
    const kind = callKind(this.#latest)
    this.#overlaps.delete(kind)
    this.#overlaps.set(kind, this.#latestOverlap)
    this.#latestOverlap = undefined
    const [oldest] = this.#overlaps.keys()
    if (this.#overlaps.size > maxKinds && oldest !== undefined) this.#overlaps.delete(oldest)
  }
}

function isSameKind({ request: { method, path, query } }: JournalEntry, other: JournalEntry | undefined) {
  if (!other) return false
  const { request } = other
  return path === request.path && method === request.method && query === request.query
}
