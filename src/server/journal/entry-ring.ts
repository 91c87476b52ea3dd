import { memoizeLast } from '../../base/core/memoize.ts'
import type { SandboxPosition } from '../../state/shared-state.ts'
import type { DeliveryEnd, JournalEntry, RecordedBody } from './entry.ts'
import { countStoredBytes } from './entry-json.ts'

/** The maximum total sizes of the stored request and response bodies, in bytes. The oldest bodies are evicted first. */
const maxBodyBytes = { request: 16 * 1024 * 1024, response: 8 * 1024 * 1024 }

/** The maximum average size of an entry without its bodies, in bytes. It is several times the usual size. */
const bytesPerEntry = 2 * 1024
const minLimitBytes = 1024 * 1024 // the limit on the total size in a small journal

export interface EntryRange {
  readonly sandbox?: string | undefined
  /** The range begins after the entry with this number. Default: 0. */
  readonly after?: number
  readonly order?: 'oldest' | 'newest'
  readonly limit?: number
  /** True to get the stored entries, whose bodies can be evicted at any time. By default, copies are returned. */
  readonly asStored?: boolean
}

interface StoredEntry {
  readonly counts: SandboxCounts
  /** The size of the entry without its bodies. */
  readonly bytes: number
  /** The sizes of the stored bodies in bytes; 0 after the eviction of a body. */
  request: number
  response: number
  /** The entry itself, without any evicted bodies. Readers get a copy unless they set `asStored`. */
  entry: JournalEntry
}

/** The newest entries, ordered by number. If they exceed a maximum count or total size, the oldest are evicted. */
export class EntryRing {
  readonly #size: number
  readonly #maxBytes: number
  readonly #sizeOf = createSizeEstimator()
  /** An entry's index is its number modulo `size + 1`, since a new entry is stored before the oldest is evicted. */
  readonly #slots: (StoredEntry | undefined)[] = []
  /** For each kind of body: the total stored size, and the number of the oldest entry that may have such a body. */
  readonly #bodies = { request: { bytes: 0, oldest: 1 }, response: { bytes: 0, oldest: 1 } }
  #bytes = 0
  /** The number of the oldest stored entry, or of the next entry if none is stored. */
  oldest = 1
  /** The number of the latest entry that was added or skipped; 0 before the first. */
  latest = 0

  /** `size`: the maximum number of entries, 0 for none. */
  constructor(size: number) {
    this.#size = size
    this.#maxBytes = Math.max(minLimitBytes, size * bytesPerEntry)
  }

  /** Stores the entry whose number is `latest + 1`. `counts`: the counts of the entry's sandbox. */
  add(entry: JournalEntry, counts: SandboxCounts): void {
    const bytes = this.#sizeOf(entry)
    const request = countStoredBytes(entry.request.body)
    const response = countStoredBytes(entry.response.body)
    this.latest += 1
    this.#slots[this.#slotOf(this.latest)] = { entry, counts, bytes, request, response }
    this.#bytes += bytes
    this.#bodies.request.bytes += request
    this.#bodies.response.bytes += response
    while (this.latest - this.oldest >= this.#size || this.#bytes > this.#maxBytes) this.#evictEntry()
    this.#evictBodies('request')
    this.#evictBodies('response')
  }

  /** Skips the numbers of missing entries, so that the next entry gets `number`. */
  skipTo(number: number): void {
    while (this.oldest <= this.latest && number - this.oldest > this.#size) this.#evictEntry()
    if (this.oldest > this.latest) this.oldest = number
    this.latest = number - 1
  }

  /** Corrects the record of how a delivery ended. Returns the corrected entry; undefined if it is not stored. */
  correct(number: number, end: DeliveryEnd): JournalEntry | undefined {
    const stored = this.#at(number)
    if (!stored) return undefined
    stored.entry = { ...stored.entry, ...end }
    return stored.entry
  }

  /** Yields the stored entries in a range, except those that were cleared. */
  *list({ sandbox, after = 0, order = 'oldest', limit = Number.POSITIVE_INFINITY }: EntryRange) {
    const first = Math.max(this.oldest, after + 1)
    let left = limit
    for (let step = 0; step <= this.latest - first && left > 0; step += 1) {
      const stored = this.#at(order === 'oldest' ? first + step : this.latest - step)
      if (!stored || stored.counts.isCleared) continue
      if (sandbox !== undefined && stored.counts.sandbox !== sandbox) continue
      left -= 1
      yield stored.entry
    }
  }

  #at(number: number): StoredEntry | undefined {
    return number < this.oldest || number > this.latest ? undefined : this.#slots[this.#slotOf(number)]
  }

  #slotOf(number: number): number {
    return number % (this.#size + 1)
  }

  #evictEntry(): void {
    const slot = this.#slotOf(this.oldest)
    const stored = this.#slots[slot]
    this.#slots[slot] = undefined
    this.oldest += 1
    if (!stored) return
    this.#bytes -= stored.bytes
    this.#bodies.request.bytes -= stored.request
    this.#bodies.response.bytes -= stored.response
    stored.counts.dropped += 1
  }

  #evictBodies(side: keyof typeof maxBodyBytes): void {
    const bodies = this.#bodies[side]
    while (bodies.bytes > maxBodyBytes[side]) {
      const number = Math.max(bodies.oldest, this.oldest)
      const stored = this.#slots[this.#slotOf(number)]
      bodies.oldest = number + 1
      if (!stored || stored[side] === 0) continue
      bodies.bytes -= stored[side]
      stored[side] = 0
      evictBytes(stored.entry[side].body)
    }
  }
}

/** Evicts the bytes in place, since copying an old entry for each new one took 7 of the 55 µs of a GET. */
function evictBytes(body: { latin1: RecordedBody['latin1'] }): void {
  body.latin1 = undefined
}

export function copyEntry(entry: JournalEntry): JournalEntry {
  const { request, response } = entry
  return {
    ...entry,
    request: { ...request, body: { ...request.body } },
    response: { ...response, body: { ...response.body } },
  }
}

/** Creates a function that estimates the size of an entry, without its bodies, from the lengths of its strings. */
function createSizeEstimator(): (entry: JournalEntry) => number {
  const sizeOfHeaders = memoizeLast((headers: Readonly<Record<string, string>>) => {
    let size = 0
    for (const [name, value] of Object.entries(headers)) size += name.length + value.length
    return size
  })
  return ({ request, scenarios, decisions, damage, violations, responseViolations, advice }) => {
    let size = request.path.length + request.query.length + sizeOfHeaders(request.headers)
    for (const texts of [scenarios, decisions, damage]) for (const text of texts ?? '') size += text.length
    for (const list of [violations, responseViolations, advice])
      for (const { pointer, message } of list) size += pointer.length + message.length
    return size
  }
}

/** The counts since entries were last cleared, for one sandbox or for all sandboxes. */
export interface JournalCounts {
  readonly recorded: number
  /** The number of evicted or lost entries. */
  readonly dropped: number
  /** A number that changes whenever entries are cleared; 0 for a sandbox without entries. */
  readonly generation: number
}

/** The counts for one sandbox. Clearing the sandbox replaces this object and hides the entries that refer to it. */
export interface SandboxCounts {
  readonly sandbox: string
  readonly generation: number
  /** See `SandboxPosition`. Undefined in the journal of a single process. */
  firstId: string | undefined
  recorded: number
  dropped: number
  /** The number of exchanges that the journal never fully received. */
  lost: number
  isCleared: boolean
}

export class CountsBySandbox {
  readonly #counts = new Map<string, SandboxCounts>()
  #generation = 0
  /** The generation of all sandboxes together. It starts at 1, since 0 stands for a sandbox without entries. */
  #overallGeneration = 1
  /** The number of exchanges in evicted sandboxes, which count as dropped in the total. */
  evictedCount = 0

  list(): readonly string[] {
    return [...this.#counts.keys()]
  }

  of(sandbox: string): SandboxCounts {
    let counts = this.#counts.get(sandbox)
    if (!counts) {
      const generation = ++this.#generation
      counts = { sandbox, generation, firstId: undefined, recorded: 0, dropped: 0, lost: 0, isCleared: false }
      this.#counts.set(sandbox, counts)
    }
    return counts
  }

  /** Returns true if the sandbox was cleared after its last counted exchange and before the given position. */
  isCleared(sandbox: string, { firstId }: SandboxPosition): boolean {
    return (this.#counts.get(sandbox)?.firstId ?? firstId) !== firstId
  }

  /** Advances a sandbox's counts to a position. Unrecorded exchanges up to the position count as lost. */
  advance(sandbox: string, { firstId, count }: SandboxPosition): SandboxCounts {
    const counts = this.of(sandbox)
    const lost = Math.max(0, count - counts.recorded)
    counts.firstId = firstId
    counts.recorded += lost
    counts.dropped += lost
    counts.lost += lost
    return counts
  }

  clear(sandbox: string): void {
    const counts = this.#counts.get(sandbox)
    if (!counts) return
    counts.isCleared = true
    this.#overallGeneration += 1
    this.#counts.delete(sandbox)
  }

  hasLoss(sandbox: string | undefined): boolean {
    return this.#select(sandbox).some(({ lost }) => lost > 0)
  }

  /** Adds up the counts for a sandbox (undefined: for all sandboxes) and the losses that are not counted yet. */
  sum(sandbox: string | undefined, uncountedLosses: number): JournalCounts {
    const counts = this.#select(sandbox)
    const missing = uncountedLosses + (sandbox === undefined ? this.evictedCount : 0)
    return {
      recorded: counts.reduce((sum, { recorded }) => sum + recorded, missing),
      dropped: counts.reduce((sum, { dropped }) => sum + dropped, missing),
      generation: sandbox === undefined ? this.#overallGeneration : (counts[0]?.generation ?? 0),
    }
  }

  #select(sandbox: string | undefined): readonly SandboxCounts[] {
    if (sandbox === undefined) return [...this.#counts.values()]
    const counts = this.#counts.get(sandbox)
    return counts ? [counts] : []
  }
}
