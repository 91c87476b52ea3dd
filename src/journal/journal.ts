/**
 * The record of requests and replies: record, find, match, share with replicas. `entry.ts` is the stored exchange,
 * `match.ts` has the parts that a query compares, and `follower.ts` brings the journal of a replica to the end of the
 * stream of all.
 */

import type { Operation, RawParameters } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import type { AppendedExchange, SandboxPlace } from '../state/exchanges.ts'
import type { DeliveryEnd, JournalEntry } from './entry.ts'
import { copyEntry, EntryRing } from './entry-ring.ts'
import type { EntryRange, JournalCounts, JournalSlice } from './reader.ts'
import { CountsBySandbox, type SandboxCounts } from './sandbox-counts.ts'

/** The parsed parts of an exchange while it is recorded, so that listeners need not parse the bodies again. */
export interface LiveExchange {
  /** The parsed request body; undefined where the request has none, or no stage parsed it. */
  readonly requestBody: Json | undefined
  /** The answer's body, with damage; undefined where it has none. */
  readonly answerBody: Json | undefined
  /** The matched operation; undefined for none. */
  readonly operation: Operation | undefined
  /** The parameters as they were sent; path parameters only where the request matches an operation. */
  readonly rawParameters: RawParameters
  /** The bearer token if one was sent, in a shared journal its hash: it tells callers apart. No listener stores it. */
  readonly token: string | undefined
  /** Is true if another replica answered the request. */
  readonly isForeign?: boolean
  /** Is true if the journal has called its listeners with the exchange before, with another end of its delivery. */
  readonly isCorrection?: boolean
}

/** A function that the journal calls for each recorded exchange, within the request's turn: it must be fast. */
export type EntryListener = (entry: JournalEntry, live: LiveExchange) => void

/** A function that the journal calls when a sandbox is cleared. */
type ClearListener = (sandbox: string) => void

/** The exchanges of all replicas, which a shared journal follows: see `StreamFollower`. */
interface SharedExchanges {
  readonly requestIdPrefix: string
  append(entry: JournalEntry, live: LiveExchange): Promise<AppendedExchange | undefined>
  correct(appended: AppendedExchange, end: DeliveryEnd): Promise<void>
  catchUp(): Promise<void>
  follow(): Promise<void>
  clear(sandbox: string | undefined): Promise<void>
  hasLost(sandbox: string | undefined): boolean
  markLost(sandbox: string): void
  close(): Promise<void>
}

/**
 * The latest exchanges of all sandboxes: at most `size`, fewer where they are very large; the oldest are evicted. In
 * one process an exchange is recorded when its delivery has ended. Replicas append theirs to a stream (`shared`), and
 * each records what the stream has before it reads.
 */
export class Journal {
  /** The stream of all replicas; undefined in a journal of one process. */
  readonly shared: SharedExchanges | undefined
  readonly #size: number
  #entries: EntryRing<SandboxCounts>
  readonly #counts = new CountsBySandbox()
  readonly #entryListeners = new Set<EntryListener>()
  readonly #ownListeners: Set<EntryListener>
  readonly #clearListeners = new Set<ClearListener>()
  readonly #changeListeners = new Set<() => void>()
  #version = 0

  /** Stores at most `size` entries; with 0 it only calls the listeners. `share` connects it with other replicas. */
  constructor(size: number, share?: (journal: Journal) => SharedExchanges) {
    this.#size = size
    this.#entries = this.#createRing()
    this.shared = share?.(this)
    this.#ownListeners = this.shared ? new Set() : this.#entryListeners
  }

  #createRing(): EntryRing<SandboxCounts> {
    return new EntryRing(this.#size, (counts) => {
      counts.dropped += 1
    })
  }

  /** The first part of the ids of requests, by which the journal finds them. */
  get requestIdPrefix(): string {
    return this.shared?.requestIdPrefix ?? 'req'
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

  /** Calls the listeners for exchanges of this process with one that is appended to a shared journal, or cannot be. */
  announceOwn(entry: JournalEntry, live: LiveExchange): void {
    for (const listener of this.#ownListeners) listener(entry, live)
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
    void this.shared?.follow()
    return () => void this.#changeListeners.delete(listener)
  }

  /** Calls the listener for every entry from now on. */
  onEntry(listener: EntryListener): void {
    this.#entryListeners.add(listener)
  }

  /** Calls the listener for each exchange of this process, at the end of its delivery. */
  onOwnEntry(listener: EntryListener): void {
    this.#ownListeners.add(listener)
  }

  /** Calls the listener for each sandbox whose entries are cleared. */
  onClear(listener: ClearListener): void {
    this.#clearListeners.add(listener)
  }

  /** Waits until the journal has every exchange that was answered before the call. */
  async catchUp(): Promise<void> {
    await this.shared?.catchUp()
  }

  /** Returns true if exchanges of a sandbox, or of any (undefined), are missing that the journal never had. */
  hasLoss(sandbox: string | undefined): boolean {
    return this.#counts.hasLoss(sandbox) || this.shared?.hasLost(sandbox) === true
  }

  async list(range: EntryRange = {}): Promise<JournalSlice> {
    if (this.shared) await this.shared.catchUp()
    const { oldest, latest } = this.#entries
    const stored = [...this.#entriesIn(range)]
    const entries = range.asStored ? stored : stored.map(copyEntry)
    return { entries, counts: this.#sumCounts(range.sandbox), oldest, latest, version: this.#version }
  }

  async find(id: string): Promise<JournalEntry | undefined> {
    if (this.shared) await this.shared.catchUp()
    for (const entry of this.#entriesIn({ order: 'newest' })) if (entry.id === id) return copyEntry(entry)
    return undefined
  }

  async counts(sandbox: string | undefined): Promise<JournalCounts> {
    if (this.shared) await this.shared.catchUp()
    return this.#sumCounts(sandbox)
  }

  async version(): Promise<number> {
    return this.#version
  }

  /** Clears the entries. In one process it does so at once: a request after the call stays. */
  async clear(sandbox: string | undefined, isEvicted = false): Promise<number> {
    if (this.shared) await this.shared.catchUp()
    const { recorded, dropped } = this.#sumCounts(sandbox)
    this.#counts.evicted = sandbox === undefined ? 0 : this.#counts.evicted + (isEvicted ? recorded : 0)
    if (this.shared) await this.shared.clear(sandbox)
    else this.clearRecorded(sandbox)
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
    return this.#counts.sum(sandbox, this.shared?.hasLost(sandbox) ? 1 : 0)
  }
}
