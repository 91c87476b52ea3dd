/**
 * The record of requests and replies: record, find, match, verify, stream.
 * `entry.ts` is the stored exchange, `match.ts` compares it with a query, `verify.ts` counts and waits, `stream.ts` follows, and
 * `redact.ts` removes credentials before anything is stored or shown.
 */

import type { Operation, RawParameters } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import type { JournalEntry } from './entry.ts'
import { copyEntry, EntryRing } from './entry-ring.ts'
import type { EntryRange, JournalCounts, JournalReader, JournalSlice } from './reader.ts'

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
  /** The bearer token, or its hash in a shared journal, which tells callers apart; undefined for none. A listener must not store it. */
  readonly token: string | undefined
  /** True: another replica answered the request. */
  readonly isForeign?: boolean
}

/** A function that the journal calls for each recorded exchange. It runs within the request's turn, so it must be fast. */
export type EntryListener = (entry: JournalEntry, live: LiveExchange) => void

/** A function that the journal calls for each sandbox whose entries are cleared, with the number of its recorded entries, the evicted included. */
type ClearListener = (sandbox: string, recorded: number) => void

/** The counts of one sandbox. Clearing the sandbox replaces the object, and hides the entries that belong to it. */
interface SandboxCounts {
  readonly sandbox: string
  readonly generation: number
  recorded: number
  dropped: number
  isCleared: boolean
}

/**
 * The latest exchanges of all sandboxes: at most `size`, fewer where they are very large; the oldest are evicted. Recording is
 * synchronous and calls the listeners of this process; the control plane reads through `JournalReader`.
 */
export class Journal implements JournalReader {
  /** The first part of the ids of requests, by which the journal finds them. */
  readonly requestIdPrefix: string = 'req'
  readonly #entries: EntryRing<SandboxCounts>
  readonly #counts = new Map<string, SandboxCounts>()
  readonly #entryListeners = new Set<EntryListener>()
  readonly #clearListeners = new Set<ClearListener>()
  readonly #changeListeners = new Set<() => void>()
  #generation = 0
  /** Grows with each clearing. It begins at 1, since 0 is the generation of a sandbox without entries. */
  #clears = 1
  #version = 0
  #order = 0

  /** `size`: the most entries; 0 stores none and still calls the listeners. */
  constructor(size: number) {
    this.#entries = new EntryRing(size, (counts) => {
      counts.dropped += 1
    })
  }

  /** The number of exchanges that were ever recorded, which is also the number of the latest one. */
  get recorded(): number {
    return this.#entries.latest
  }

  /** Returns the next position in the order in which requests and changes by the control plane are handled, from 1. */
  takeOrder(): number {
    return ++this.#order
  }

  /** Stores an entry, whose number must be `recorded + 1`, and calls the listeners. */
  record(entry: JournalEntry, live: LiveExchange): void {
    const counts = this.#countsOf(entry.sandbox)
    counts.recorded += 1
    this.#entries.add(entry, counts)
    this.#announceChange()
    for (const listener of this.#entryListeners) listener(entry, live)
  }

  /** The number of verifications and streams that wait for a change. */
  get waiting(): number {
    return this.#changeListeners.size
  }

  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener)
    return () => void this.#changeListeners.delete(listener)
  }

  /** Calls the listener for every entry from now on. @returns a function that removes the listener */
  onEntry(listener: EntryListener): () => void {
    this.#entryListeners.add(listener)
    return () => void this.#entryListeners.delete(listener)
  }

  /** Calls the listener for each exchange of this process, as soon as it is recorded. @returns a function that removes the listener */
  onOwnEntry(listener: EntryListener): () => void {
    return this.onEntry(listener)
  }

  /** Calls the listener for each sandbox whose entries are cleared. @returns a function that removes the listener */
  onClear(listener: ClearListener): () => void {
    this.#clearListeners.add(listener)
    return () => void this.#clearListeners.delete(listener)
  }

  /** Waits until the journal has every exchange that ended before. Only a shared journal has others than those of this process. */
  async catchUp(): Promise<void> {}

  /** Records what this process has, if the others cannot be asked. Only a shared journal has anything that is not recorded yet. */
  async recordOwn(): Promise<void> {}

  /** Notes that a sandbox is in use, before its first exchange. Only a shared journal needs that, to know the losses that have none of its exchanges. Undefined: nothing has to be waited for. */
  begin(_sandbox: string): Promise<void> | undefined {
    return undefined
  }

  /** Returns true if exchanges of a sandbox, or of any (undefined), may be missing without being counted. */
  hasLoss(_sandbox: string | undefined): boolean {
    return false
  }

  async list(range: EntryRange = {}): Promise<JournalSlice> {
    const { oldest, latest } = this.#entries
    const entries = Array.from(this.#entriesIn(range), copyEntry)
    return { entries, counts: this.#sumCounts(range.sandbox), oldest, latest, version: this.#version }
  }

  async find(id: string): Promise<JournalEntry | undefined> {
    for (const entry of this.#entriesIn({ order: 'newest' })) if (entry.id === id) return copyEntry(entry)
    return undefined
  }

  async counts(sandbox: string | undefined): Promise<JournalCounts> {
    return this.#sumCounts(sandbox)
  }

  async version(): Promise<number> {
    return this.#version
  }

  /** Clears before the first await: a request after the call belongs to the cleared journal. */
  async clear(sandbox: string | undefined): Promise<number> {
    const { recorded, dropped } = this.#sumCounts(sandbox)
    for (const name of sandbox === undefined ? [...this.#counts.keys()] : [sandbox]) this.#clear(name)
    return recorded - dropped
  }

  #clear(sandbox: string): void {
    const counts = this.#counts.get(sandbox)
    if (counts) {
      counts.isCleared = true
      this.#clears += 1
    }
    this.#counts.delete(sandbox)
    this.#announceChange()
    for (const listener of this.#clearListeners) listener(sandbox, counts?.recorded ?? 0)
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

  #sumCounts(sandbox: string | undefined): JournalCounts {
    if (sandbox !== undefined) {
      const { recorded = 0, dropped = 0, generation = 0 } = this.#counts.get(sandbox) ?? {}
      return { recorded, dropped, generation }
    }
    const sum = { recorded: 0, dropped: 0, generation: this.#clears }
    for (const { recorded, dropped } of this.#counts.values()) {
      sum.recorded += recorded
      sum.dropped += dropped
    }
    return sum
  }

  #countsOf(sandbox: string): SandboxCounts {
    let counts = this.#counts.get(sandbox)
    if (!counts) {
      counts = { sandbox, generation: ++this.#generation, recorded: 0, dropped: 0, isCleared: false }
      this.#counts.set(sandbox, counts)
    }
    return counts
  }
}
