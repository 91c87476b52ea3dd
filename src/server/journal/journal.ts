/**
 * `server/journal/`: the request journal, which records exchanges, finds and matches them, and shares them with
 * replicas. `entry.ts` defines a stored exchange, `entry-json.ts` defines its JSON, and `follower.ts` implements the
 * shared journal.
 */

import { clearTimeout, setImmediate, setTimeout } from '../../base/core/timers.ts'
import type { SandboxPosition } from '../../state/shared-state.ts'
import type { DeliveryEnd, ExchangeRecord, JournalEntry, LiveExchange, Recorded } from './entry.ts'
import {
  CountsBySandbox,
  copyEntry,
  type EntryRange,
  EntryRing,
  type JournalCounts,
  type SandboxCounts,
} from './entry-ring.ts'

/** The stored entries in a range, and the state of the journal at the moment of reading. */
export interface JournalSlice {
  readonly entries: readonly JournalEntry[]
  readonly counts: JournalCounts
  /** The number of the oldest entry that was not evicted, or of the next entry if all were evicted. */
  readonly oldest: number
  /** The number of the latest recorded exchange, whether or not it is still stored; 0 before the first exchange. */
  readonly latest: number
  /** A number that changes whenever the journal changes. */
  readonly version: number
}

/** A function called synchronously when an exchange is recorded or corrected, so it must be fast. */
export type EntryListener = (entry: JournalEntry, live: LiveExchange) => void

export interface JournalShare {
  readonly requestIdPrefix: string
  /** Begins to record an exchange of this process. Calls `onEnd` when the delivery of its response ends. */
  begin(onEnd: (recorded: Recorded) => void): ExchangeRecord
  catchUp(): Promise<void>
  /** Catches up periodically while a reader waits for a change. */
  follow(): void
  /** Returns true if a sandbox (undefined: any sandbox) has lost exchanges that are not counted yet. */
  hasUncountedLoss(sandbox: string | undefined): boolean
  clear(sandbox: string | undefined): Promise<void>
  /** Finishes the pending writes to the shared journal. */
  close(): Promise<void>
}

/**
 * The latest exchanges of all sandboxes: at most `size`, or fewer if they are very large. The oldest are evicted first.
 * An exchange is recorded when its delivery ends, or earlier in a shared journal (see `ExchangeRecord.announce`).
 */
export class Journal {
  readonly #size: number
  readonly #share: JournalShare | undefined
  #entries: EntryRing
  readonly #counts = new CountsBySandbox()
  readonly #entryListeners = new Set<EntryListener>()
  readonly #ownListeners = new Set<EntryListener>()
  readonly #clearListeners = new Set<(sandbox: string) => void>()
  readonly #changeListeners = new Set<() => void>()
  #version = 0

  /** If `size` is 0, entries are only passed to the listeners. `share` is undefined without replicas. */
  constructor(size: number, share?: JournalShare) {
    this.#size = size
    this.#share = share
    this.#entries = new EntryRing(this.#size)
  }

  get requestIdPrefix(): string {
    return this.#share?.requestIdPrefix ?? 'req'
  }

  get isShared(): boolean {
    return this.#share !== undefined
  }

  begin(): ExchangeRecord {
    if (this.#share)
      return this.#share.begin((recorded) => {
        for (const listener of this.#ownListeners) listener(...recorded)
      })
    return {
      end: (_, create) => {
        const recorded = create()
        this.record(...recorded)
        return recorded
      },
      correct: ([entry, live]) => this.correct(entry.number, entry, () => ({ ...live, isCorrection: true })),
    }
  }

  /** The number of the latest recorded exchange; 0 before the first exchange. */
  get latestNumber(): number {
    return this.#entries.latest
  }

  /** Stores an entry and calls the listeners. The entry's number is `latestNumber + 1`, or higher with a `position`. */
  record(entry: JournalEntry, live: LiveExchange, position?: SandboxPosition): void {
    if (position) this.#entries.skipTo(entry.number)
    const { sandbox } = entry
    const counts = position
      ? this.advance(sandbox, { ...position, count: position.count - 1 })
      : this.#counts.of(sandbox)
    counts.recorded += 1
    this.#entries.add(entry, counts)
    this.#announceChange()
    for (const listener of this.#entryListeners) listener(entry, live)
  }

  /** Corrects the record of how a delivery ended, and calls the listeners again. */
  correct(number: number, end: DeliveryEnd, revive: (entry: JournalEntry) => LiveExchange): void {
    const entry = this.#entries.correct(number, end)
    if (!entry) return
    this.#announceChange()
    for (const listener of this.#entryListeners) listener(entry, revive(entry))
  }

  /** Clears all sandboxes except those that the shared journal still has. */
  clearAllBut(sandboxes: ReadonlySet<string>): void {
    for (const sandbox of this.#counts.list()) if (!sandboxes.has(sandbox)) this.clearRecorded(sandbox)
  }

  /** Advances a sandbox's counts to a position in the shared journal. Clears the sandbox if it was cleared there. */
  advance(sandbox: string, position: SandboxPosition): SandboxCounts {
    if (this.#counts.isCleared(sandbox, position)) this.clearRecorded(sandbox)
    return this.#counts.advance(sandbox, position)
  }

  /** Counts a recorded exchange as lost, because the shared store had trimmed one of its bodies. */
  countLoss(sandbox: string): void {
    this.#counts.of(sandbox).lost += 1
  }

  /** Switches to a new shared journal after the previous one was lost. Returns the sandboxes that had exchanges. */
  restart(): readonly string[] {
    const sandboxes = this.#counts.list()
    for (const sandbox of sandboxes) this.#counts.clear(sandbox)
    this.#entries = new EntryRing(this.#size)
    this.#announceChange()
    return sandboxes
  }

  get waiterCount(): number {
    return this.#changeListeners.size
  }

  /**
   * Waits until the journal's version differs from `version`, `ms` milliseconds have passed, or one of the signals in
   * `ends` is aborted. After a wait, resolves only in a later turn of the event loop, so that requests are not delayed.
   */
  waitForChange(version: number, ms: number, ends: readonly AbortSignal[]): Promise<'entry' | 'time' | 'end'> {
    if (ends.some(({ aborted }) => aborted)) return Promise.resolve('end')
    if (version !== this.#version) return Promise.resolve('entry')
    return new Promise((resolve) => {
      const finish = (outcome: 'entry' | 'time' | 'end') => {
        clearTimeout(timer)
        this.#changeListeners.delete(onChange)
        for (const signal of ends) signal.removeEventListener('abort', onEnd)
        setImmediate(resolve, outcome)
      }
      const onChange = () => finish('entry')
      const onEnd = () => finish('end')
      const timer = setTimeout(finish, ms, 'time')
      this.#changeListeners.add(onChange)
      for (const signal of ends) signal.addEventListener('abort', onEnd)
      this.#share?.follow()
    })
  }

  onEntry(listener: EntryListener): void {
    this.#entryListeners.add(listener)
  }

  /** Calls the listener when a delivery of this process ends and, without replicas, when an exchange is corrected. */
  onOwnEntry(listener: EntryListener): void {
    const listeners = this.#share ? this.#ownListeners : this.#entryListeners
    listeners.add(listener)
  }

  onClear(listener: (sandbox: string) => void): void {
    this.#clearListeners.add(listener)
  }

  async catchUp(): Promise<void> {
    await this.#share?.catchUp()
  }

  async close(): Promise<void> {
    await this.#share?.close()
  }

  /** Returns true if any exchanges in a sandbox (undefined: in any sandbox) never fully reached the journal. */
  hasLoss(sandbox: string | undefined): boolean {
    return this.#counts.hasLoss(sandbox) || this.#share?.hasUncountedLoss(sandbox) === true
  }

  async list(range: EntryRange = {}): Promise<JournalSlice> {
    await this.catchUp()
    const { oldest, latest } = this.#entries
    const stored = [...this.#entries.list(range)]
    const entries = range.asStored ? stored : stored.map(copyEntry)
    return { entries, counts: this.#sumCounts(range.sandbox), oldest, latest, version: this.#version }
  }

  async find(id: string): Promise<JournalEntry | undefined> {
    await this.catchUp()
    for (const entry of this.#entries.list({ order: 'newest' })) if (entry.id === id) return copyEntry(entry)
    return undefined
  }

  async counts(sandbox: string | undefined): Promise<JournalCounts> {
    await this.catchUp()
    return this.#sumCounts(sandbox)
  }

  /** Clears the entries of a sandbox (undefined: of all sandboxes). Returns how many were stored. */
  async clear(sandbox: string | undefined, isEvicted = false): Promise<number> {
    if (this.#share) await this.#share.catchUp()
    const { recorded, dropped } = this.#sumCounts(sandbox)
    this.#counts.evictedCount = sandbox === undefined ? 0 : this.#counts.evictedCount + (isEvicted ? recorded : 0)
    if (this.#share) await this.#share.clear(sandbox)
    else this.clearRecorded(sandbox)
    return recorded - dropped
  }

  clearRecorded(sandbox: string | undefined): void {
    for (const name of sandbox === undefined ? this.#counts.list() : [sandbox]) {
      this.#counts.clear(name)
      this.#announceChange()
      for (const listener of this.#clearListeners) listener(name)
    }
  }

  #announceChange(): void {
    this.#version += 1
    for (const listener of this.#changeListeners) listener()
  }

  /** Returns the counts for a sandbox (undefined: for all sandboxes), plus 1 if there are uncounted losses. */
  #sumCounts(sandbox: string | undefined): JournalCounts {
    return this.#counts.sum(sandbox, this.#share?.hasUncountedLoss(sandbox) ? 1 : 0)
  }
}
