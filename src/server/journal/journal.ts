/**
 * The record of requests and replies: record, find, match, share with replicas. `entry.ts` is the stored exchange,
 * `match.ts` has the parts that a query compares, and `shared-journal.ts` is the journal of a replica.
 */

import type { SandboxPlace } from '../../state/exchanges.ts'
import type { DeliveryEnd, ExchangeRecord, JournalEntry, LiveExchange } from './entry.ts'
import { copyEntry, EntryRing } from './entry-ring.ts'
import type { EntryRange, JournalCounts, JournalSlice } from './reader.ts'
import { CountsBySandbox, type SandboxCounts } from './sandbox-counts.ts'

/** A function that the journal calls for each recorded exchange, within the request's turn: it must be fast. */
export type EntryListener = (entry: JournalEntry, live: LiveExchange) => void

/** A function that the journal calls when a sandbox is cleared. */
type ClearListener = (sandbox: string) => void

/**
 * The latest exchanges of all sandboxes: at most `size`, fewer where they are very large; the oldest are evicted. An
 * exchange is recorded when its delivery has ended.
 */
export class Journal {
  readonly #size: number
  #entries: EntryRing<SandboxCounts>
  readonly #counts = new CountsBySandbox()
  readonly #entryListeners = new Set<EntryListener>()
  readonly #clearListeners = new Set<ClearListener>()
  readonly #changeListeners = new Set<() => void>()
  #version = 0

  /** Stores at most `size` entries; with 0 it only calls the listeners. */
  constructor(size: number) {
    this.#size = size
    this.#entries = this.#createRing()
  }

  #createRing(): EntryRing<SandboxCounts> {
    return new EntryRing(this.#size, (counts) => {
      counts.dropped += 1
    })
  }

  /** The first part of the ids of requests, by which the journal finds them. */
  get requestIdPrefix(): string {
    return 'req'
  }

  /** True if the journal also has the exchanges of other replicas. */
  get isShared(): boolean {
    return false
  }

  /** Begins the record of an exchange of this process. */
  begin(): ExchangeRecord {
    return {
      end: (_, create) => {
        const recorded = create()
        this.record(...recorded)
        return recorded
      },
      correct: ([entry, live]) => this.correct(entry.number, entry, () => ({ ...live, isCorrection: true })),
    }
  }

  /** The number of exchanges that were ever recorded, which is also the number of the latest one. */
  get recorded(): number {
    return this.#entries.latest
  }

  /** Stores an entry, and calls the listeners. Its number is `recorded + 1`, or higher with a shared `place`. */
  record(entry: JournalEntry, live: LiveExchange, place?: SandboxPlace): void {
    if (place) this.#entries.skipTo(entry.number)
    const { sandbox } = entry
    const before = place && { ...place, count: place.count - 1 }
    const counts = before ? this.advance(sandbox, before) : this.#counts.of(sandbox)
    counts.recorded += 1
    this.#entries.add(entry, counts)
    this.#announceChange()
    for (const listener of this.#entryListeners) listener(entry, live)
  }

  /** Corrects the end of the delivery of a stored entry, and calls the listeners with it once more. */
  correct(number: number, end: DeliveryEnd, revive: (entry: JournalEntry) => LiveExchange): void {
    const entry = this.#entries.correct(number, end)
    if (!entry) return
    this.#announceChange()
    for (const listener of this.#entryListeners) listener(entry, revive(entry))
  }

  /** Clears the sandboxes that a shared journal does not have any more. */
  clearAllBut(sandboxes: ReadonlySet<string>): void {
    for (const sandbox of this.#counts.list()) if (!sandboxes.has(sandbox)) this.clearRecorded(sandbox)
  }

  /** Moves a sandbox to a place in a shared journal: what was missed before it is lost, or was cleared. */
  advance(sandbox: string, place: SandboxPlace): SandboxCounts {
    if (this.#counts.isCleared(sandbox, place)) this.clearRecorded(sandbox)
    return this.#counts.advance(sandbox, place)
  }

  /** Counts an exchange of a sandbox that was not read whole. */
  countLoss(sandbox: string): void {
    this.#counts.of(sandbox).lost += 1
  }

  /** Begins with another shared journal, since the one before was lost. Returns the sandboxes that had exchanges. */
  restart(): readonly string[] {
    const sandboxes = this.#counts.list()
    for (const sandbox of sandboxes) this.#counts.clear(sandbox)
    this.#entries = this.#createRing()
    this.#announceChange()
    return sandboxes
  }

  /** The number of verifications and streams that wait for a change. */
  get waiting(): number {
    return this.#changeListeners.size
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener)
    this.follow()
    return () => void this.#changeListeners.delete(listener)
  }

  /** Calls the listener for every entry from now on. */
  onEntry(listener: EntryListener): void {
    this.#entryListeners.add(listener)
  }

  /** Calls the listener for each exchange of this process, at the end of its delivery. */
  onOwnEntry(listener: EntryListener): void {
    this.onEntry(listener)
  }

  /** Calls the listener for each sandbox whose entries are cleared. */
  onClear(listener: ClearListener): void {
    this.#clearListeners.add(listener)
  }

  /** Waits until the journal has every exchange that was handled before the call. */
  async catchUp(): Promise<void> {}

  /** Catches up from time to time while somebody waits for a change. */
  protected follow(): void {}

  /** Waits until other replicas have all exchanges of this process. */
  async close(): Promise<void> {}

  /** Returns true if exchanges of a sandbox, or of any (undefined), are missing that the journal never had. */
  hasLoss(sandbox: string | undefined): boolean {
    return this.#counts.hasLoss(sandbox) || this.hasUncountedLoss(sandbox)
  }

  /** Returns true if exchanges are lost that nobody has counted yet. */
  protected hasUncountedLoss(_sandbox: string | undefined): boolean {
    return false
  }

  async list(range: EntryRange = {}): Promise<JournalSlice> {
    await this.catchUp()
    const { oldest, latest } = this.#entries
    const stored = [...this.#entriesIn(range)]
    const entries = range.asStored ? stored : stored.map(copyEntry)
    return { entries, counts: this.#sumCounts(range.sandbox), oldest, latest, version: this.#version }
  }

  async find(id: string): Promise<JournalEntry | undefined> {
    await this.catchUp()
    for (const entry of this.#entriesIn({ order: 'newest' })) if (entry.id === id) return copyEntry(entry)
    return undefined
  }

  async counts(sandbox: string | undefined): Promise<JournalCounts> {
    await this.catchUp()
    return this.#sumCounts(sandbox)
  }

  async version(): Promise<number> {
    return this.#version
  }

  /** Clears the entries at once: a request after the call stays. Returns their number. */
  async clear(sandbox: string | undefined, isEvicted = false): Promise<number> {
    const count = this.countCleared(sandbox, isEvicted)
    this.clearRecorded(sandbox)
    return count
  }

  /** Counts the entries that are cleared. */
  protected countCleared(sandbox: string | undefined, isEvicted: boolean): number {
    const { recorded, dropped } = this.#sumCounts(sandbox)
    this.#counts.evicted = sandbox === undefined ? 0 : this.#counts.evicted + (isEvicted ? recorded : 0)
    return recorded - dropped
  }

  /** Clears what this process has of a sandbox; undefined: of all. */
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

  *#entriesIn({ sandbox, after = 0, order = 'oldest', limit }: EntryRange): Generator<JournalEntry> {
    const { oldest, latest } = this.#entries
    const first = Math.max(oldest, after + 1)
    let left = limit ?? Number.POSITIVE_INFINITY
    for (let step = 0; step <= latest - first && left > 0; step += 1) {
      const stored = this.#entries.at(order === 'oldest' ? first + step : latest - step)
      if (!stored || stored.owner.isCleared) continue
      if (sandbox !== undefined && stored.owner.sandbox !== sandbox) continue
      left -= 1
      yield stored.entry
    }
  }

  /** Returns the counts of a sandbox, or of all. Lost exchanges that nobody has counted yet count as one. */
  #sumCounts(sandbox: string | undefined): JournalCounts {
    return this.#counts.sum(sandbox, this.hasUncountedLoss(sandbox) ? 1 : 0)
  }
}
