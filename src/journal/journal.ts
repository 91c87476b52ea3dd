import type { Operation, RawParameters } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'
import { ByteRing } from './byte-ring.ts'
import type { JournalEntry } from './entry.ts'
import { figuresOfEntry, isPackedOf, packedTexts, packFigures, unpacked } from './packed.ts'

/** An exchange as the process holds it while it is recorded; for those who look into bodies and would have to read them again. */
export interface LiveExchange {
  /** The request's body; undefined where it has none, or nobody needed to read it. */
  readonly request: Json | undefined
  /** The answer's body, damage included; undefined where it has none. */
  readonly answer: Json | undefined
  /** Undefined where the request met none. */
  readonly operation: Operation | undefined
  /** The parameters as they were sent; those of the path only where it met an operation. */
  readonly sent: RawParameters
  /** The bearer token, to tell callers apart by. Not to be kept: the journal holds no credential. */
  readonly token: string | undefined
}

/** Hears of an exchange once it is recorded, within the request's own turn: has to be quick. */
export type EntryListener = (entry: JournalEntry, whole: LiveExchange) => void

/** What was counted of a sandbox, or of all, since its journal was last cleared. */
export interface JournalCounts {
  readonly recorded: number
  /** How many of these the journal has dropped since, to make room. Above 0: a count over the journal is not the whole truth. */
  readonly dropped: number
  /** Another one than before: entries were cleared meanwhile. */
  readonly generation: number
}

/** Which entries to go over. */
export interface Span {
  /** Undefined: of every sandbox. */
  readonly sandbox?: string | undefined
  /** Only those with a greater number. */
  readonly after?: number
  /** Default: `oldest`. */
  readonly first?: 'oldest' | 'newest'
}

/** What is counted of one sandbox. Clearing puts another one in its place, and with it all its entries are out of sight. */
interface SandboxCount {
  readonly sandbox: string
  readonly generation: number
  recorded: number
  dropped: number
  isCleared: boolean
}

/** Bytes of request bodies, of which more is asked, and of answers: where there are more, those of the oldest entries are let go. */
const roomForRequests = 16 * 1024 * 1024
const roomForAnswers = 8 * 1024 * 1024

/** Bytes for an entry without its bodies, on average, several times of what most take; a small journal has room for some large ones, too. */
const roomForEntry = 2 * 1024
const leastRoomForEntries = 1024 * 1024

const noBytes = new Uint8Array()

/**
 * The latest exchanges of all sandboxes, in a ring: one more, and the oldest goes, before its time where entries are very large. Never
 * grows beyond its size. An entry is packed away as it comes, since thousands are kept for one that is ever looked at, and made anew for
 * whoever looks.
 */
export class Journal {
  readonly #size: number
  /** Whose entry it is, by its place in the ring. */
  readonly #owners: SandboxCount[] = []
  readonly #texts: ByteRing
  /** The figures of the entry at each place of the ring, side by side. */
  readonly #figures: Float64Array
  readonly #requests: ByteRing
  readonly #answers: ByteRing
  readonly #counts = new Map<string, SandboxCount>()
  readonly #listeners = new Set<EntryListener>()
  readonly #clearings = new Set<(sandbox: string) => void>()
  readonly #waiting = new Set<() => void>()
  #recorded = 0
  #generation = 0

  constructor(size: number) {
    this.#size = size
    this.#texts = new ByteRing(size, Math.max(leastRoomForEntries, size * roomForEntry))
    this.#figures = new Float64Array(size * figuresOfEntry)
    this.#requests = new ByteRing(size, roomForRequests)
    this.#answers = new ByteRing(size, roomForAnswers)
  }

  /** How many exchanges were ever recorded; the number of the latest one. */
  get recorded(): number {
    return this.#recorded
  }

  /** The number of the oldest entry that was not dropped; of the next one where there is none. */
  get oldest(): number {
    return (this.#size === 0 ? this.#recorded : this.#texts.evictedCount) + 1
  }

  /** How many entries are held, in all sandboxes together. */
  get held(): number {
    let held = 0
    for (const { recorded, dropped } of this.#counts.values()) held += recorded - dropped
    return held
  }

  /** Keeps an entry, whose number has to be `recorded + 1`, and tells the listeners. */
  record(entry: JournalEntry, whole: LiveExchange): void {
    const count = this.#countOf(entry.sandbox)
    if (this.#size === 0) count.dropped += 1
    else this.#keep(entry, count)
    count.recorded += 1
    this.#recorded = entry.number
    for (const wake of this.#waiting) wake()
    for (const listener of this.#listeners) listener(entry, whole)
  }

  /** How many verifications and streams wait for something to happen. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Calls the function whenever an entry is recorded or a sandbox cleared, until the function is called that this gives back. */
  await(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => void this.#waiting.delete(wake)
  }

  /** Calls the listener for every entry from now on, until the function is called that this gives back. */
  onEntry(listener: EntryListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls the listener with the name of each sandbox whose entries are cleared. */
  onClear(listener: (sandbox: string) => void): () => void {
    this.#clearings.add(listener)
    return () => void this.#clearings.delete(listener)
  }

  /** The sandboxes that anything was recorded of since they were last cleared. */
  sandboxes(): string[] {
    return [...this.#counts.keys()]
  }

  /** Undefined: over all sandboxes. */
  counts(sandbox: string | undefined): JournalCounts {
    if (sandbox !== undefined) {
      const { recorded = 0, dropped = 0, generation = 0 } = this.#counts.get(sandbox) ?? {}
      return { recorded, dropped, generation }
    }
    const sum = { recorded: 0, dropped: 0, generation: this.#generation }
    for (const { recorded, dropped } of this.#counts.values()) {
      sum.recorded += recorded
      sum.dropped += dropped
    }
    return sum
  }

  /** The entries of the span that are held. Not to be gone on with after a pause: the ring goes on meanwhile. */
  *entries(span: Span = {}): Generator<JournalEntry> {
    for (const number of this.#numbers(span)) yield this.#entry(number, this.#textOf(number))
  }

  /** The entry of a request id; undefined where it was dropped, cleared, or never there. */
  find(id: string): JournalEntry | undefined {
    for (const number of this.#numbers({ first: 'newest' })) {
      const text = this.#textOf(number)
      if (isPackedOf(id, text)) return this.#entry(number, text)
    }
    return undefined
  }

  /** The numbers of the entries of the span. */
  *#numbers({ sandbox, after = 0, first = 'oldest' }: Span): Generator<number> {
    const least = Math.max(this.oldest, after + 1)
    const howMany = Math.max(0, this.#recorded - least + 1)
    for (let step = 0; step < howMany; step += 1) {
      const number = first === 'oldest' ? least + step : this.#recorded - step
      const owner = this.#owners[(number - 1) % this.#size]
      if (!owner || owner.isCleared) continue
      if (sandbox === undefined || owner.sandbox === sandbox) yield number
    }
  }

  #textOf(number: number): string {
    return this.#texts.textAt(number - 1) ?? ''
  }

  #entry(number: number, texts: string): JournalEntry {
    const start = ((number - 1) % this.#size) * figuresOfEntry
    return unpacked({
      number,
      texts,
      figures: this.#figures.subarray(start, start + figuresOfEntry),
      requestBody: () => this.#requests.at(number - 1),
      answerBody: () => this.#answers.at(number - 1),
    })
  }

  /** Forgets the entries of a sandbox, and what was counted of it. */
  clear(sandbox: string): void {
    const count = this.#counts.get(sandbox)
    if (count) count.isCleared = true
    this.#counts.delete(sandbox)
    this.#generation += 1
    for (const wake of this.#waiting) wake()
    for (const listener of this.#clearings) listener(sandbox)
  }

  #keep(entry: JournalEntry, count: SandboxCount): void {
    const place = this.#recorded % this.#size
    let gone = this.#texts.evictedCount
    this.#texts.addText(packedTexts(entry))
    for (; gone < this.#texts.evictedCount; gone += 1) {
      // One that is larger than all the room goes itself.
      const owner = gone === this.#recorded ? count : this.#owners[gone % this.#size]
      if (owner) owner.dropped += 1
    }
    this.#owners[place] = count
    packFigures(entry, this.#figures, place * figuresOfEntry)
    this.#requests.add(entry.request.body.bytes ?? noBytes)
    this.#answers.add(entry.answer.body.bytes ?? noBytes)
  }

  #countOf(sandbox: string): SandboxCount {
    let count = this.#counts.get(sandbox)
    if (!count) {
      count = { sandbox, generation: ++this.#generation, recorded: 0, dropped: 0, isCleared: false }
      this.#counts.set(sandbox, count)
    }
    return count
  }
}
