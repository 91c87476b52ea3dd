import type { JournalEntry } from '../journal/entry.ts'
import { type Attempt, isSentAfter } from './attempts.ts'

/** The time for which a client that asked in parallel is expected to send further such requests, milliseconds. */
const expectedMs = 1000

/** The largest number of kinds that are stored. */
const maxKinds = 128

/**
 * Kinds of calls of which two successive ones were under way at the same time, so that a request after a failed one can
 * be a first attempt that waited for a free connection. Times are the process's monotonic clock's, milliseconds.
 */
export class ParallelCalls {
  /** The times of the latest overlaps by kind; the latest kind is last. */
  readonly #overlaps = new Map<string, number>()
  #latest = { kind: '', endedAt: 0 }
  /** The last kind of `#overlaps`. It is not deleted and set again: V8 would create new tables for a series of GETs. */
  #lastKind = ''

  /** Compares an exchange with the one that ended before it. */
  record(kind: string, entry: JournalEntry): void {
    const { endedAt } = entry
    if (kind === this.#latest.kind && !isSentAfter(entry, this.#latest.endedAt)) this.#store(kind, endedAt)
    this.#latest = { kind, endedAt }
  }

  /** Returns true where a request of this kind is expected to be one of several parallel ones. */
  areExpected(kind: string, { receivedAt }: Attempt): boolean {
    return receivedAt - (this.#overlaps.get(kind) ?? Number.NEGATIVE_INFINITY) < expectedMs
  }

  #store(kind: string, overlapAt: number): void {
    if (kind !== this.#lastKind) this.#overlaps.delete(kind)
    this.#lastKind = kind
    this.#overlaps.set(kind, overlapAt)
    const [oldest] = this.#overlaps.keys()
    if (this.#overlaps.size > maxKinds && oldest !== undefined) this.#overlaps.delete(oldest)
  }
}
