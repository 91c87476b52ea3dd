import type { JournalEntry } from './entry.ts'

/** The counts of a sandbox, or of all sandboxes, since the journal was last cleared. */
export interface JournalCounts {
  readonly recorded: number
  /** The number of entries that were evicted. Above 0, a count over the stored entries is incomplete. */
  readonly dropped: number
  /** A number that changes whenever entries are cleared; 0 for a sandbox without entries. */
  readonly generation: number
}

/** The entries to list. */
export interface EntryRange {
  /** The name of a sandbox; undefined for all. */
  readonly sandbox?: string | undefined
  /** The number after which the range begins. Default: 0. */
  readonly after?: number
  /** The entries that come first. Default: `oldest`. */
  readonly order?: 'oldest' | 'newest'
  /** The most entries. Default: all. */
  readonly limit?: number
  /** True for the stored entries, which lose their bodies when these are evicted. Default: copies, which keep them. */
  readonly asStored?: boolean
}

/** The stored entries of a range, and the state of the journal at the moment of reading. */
export interface JournalSlice {
  readonly entries: readonly JournalEntry[]
  /** The counts of the range's sandbox. */
  readonly counts: JournalCounts
  /** The number of the oldest entry that was not evicted; the number of the next entry where there is none. */
  readonly oldest: number
  /** The number of the latest recorded exchange, stored or not; 0 before the first. */
  readonly latest: number
  /** The value of `Journal.version`. */
  readonly version: number
}
