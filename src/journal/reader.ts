import type { JournalEntry } from './entry.ts'

/** The counts of a sandbox, or of all sandboxes, since the journal was last cleared. */
export interface JournalCounts {
  readonly recorded: number
  /** The number of recorded entries that the journal has evicted since. Above 0, a count over the stored entries is incomplete. */
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
  /** The value of `JournalReader.version`. */
  readonly version: number
}

/** The journal as the control plane uses it. Every method but `onChange` is asynchronous, so that a shared store can implement it. */
export interface JournalReader {
  /** Reads the entries of a range. */
  list(range?: EntryRange): Promise<JournalSlice>
  /** Returns the entry of a request id; undefined where it was evicted, cleared, or never recorded. */
  find(id: string): Promise<JournalEntry | undefined>
  /** Returns the counts of a sandbox; undefined for all sandboxes. */
  counts(sandbox: string | undefined): Promise<JournalCounts>
  /** Returns a number that changes whenever an entry is recorded or cleared. */
  version(): Promise<number>
  /** Clears the entries and the counts of a sandbox; undefined for all. @returns the number of stored entries that it cleared */
  clear(sandbox: string | undefined): Promise<number>
  /** Calls the listener after every change of the version. @returns a function that removes the listener */
  onChange(listener: () => void): () => void
}
