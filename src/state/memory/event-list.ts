import { nextTurn, sleep } from '../../core/timers.ts'
import type { StoredEvent } from '../records.ts'
import { EventBlock } from './event-block.ts'
import { type IndexedEvent, toIndexed } from './indexed-event.ts'
import type { TableRecord } from './table.ts'

/** The largest number of events in a block. Compressing a block, or reading one event of it, takes well below 1 ms. */
const BLOCK_EVENTS = 64

/** The number of characters from which on a block is complete. */
const BLOCK_LENGTH = 64 * 1024

/** The number of events that are read in one turn of the event loop, which takes some milliseconds. */
const EVENTS_PER_TURN = 1000

/** Milliseconds between the compression of two loaded blocks, so that requests have most of the time. */
const PAUSE_MS = 1

/** A block of loaded events, with the index of them. */
interface LoadedBlock {
  readonly block: EventBlock
  readonly index: readonly IndexedEvent[]
  readonly events: readonly StoredEvent[]
}

/** The blocks by their first event, so that a sandbox and its snapshots share the events that they share in the file. */
const loadedBlocks = new WeakMap<StoredEvent, LoadedBlock>()

function loadBlock(from: number, events: readonly StoredEvent[]): LoadedBlock {
  const [first] = events
  const known = first && loadedBlocks.get(first)
  const isSame =
    known?.block.from === from &&
    known.events.length === events.length &&
    known.events.every((event, index) => event === events[index])
  if (isSame) return known
  const loaded = { block: new EventBlock(from, events), index: events.map(toIndexed), events }
  if (first !== undefined) loadedBlocks.set(first, loaded)
  return loaded
}

/**
 * Events in the order in which they were recorded. Few events are ever read again, so they are compressed as JSON; only
 * the values that commands need are also held in an index.
 */
export class EventList {
  #blocks: EventBlock[] = []
  /** The last events as JSON, not in a block yet. */
  #tail: string[] = []
  /** The length of the tail in characters. */
  #tailLength = 0
  #index: IndexedEvent[] = []
  /** Positions by `insertId`. Undefined until the first search: most copies are only read. */
  #positions: Map<string, number> | undefined
  /** The number of replays by position, of events that were replayed since they were added. */
  #replays = new Map<number, number>()
  /** The replays of the event that was read last, since an event is read before a replay of it is counted. */
  #lastRead: { readonly position: number; readonly replays: number } | undefined
  /** The block that was decompressed last, since the same event or the next is often read after an event. */
  #decompressed: { readonly block: EventBlock; readonly lines: string[] } | undefined

  /** Creates a list from events that never change. They are compressed in later turns, so that a start is fast. */
  static of(events: readonly StoredEvent[]): EventList {
    const list = new EventList()
    for (let from = 0; from < events.length; from += BLOCK_EVENTS) {
      const { block, index } = loadBlock(from, events.slice(from, from + BLOCK_EVENTS))
      list.#blocks.push(block)
      for (const indexed of index) list.#index.push(indexed)
    }
    void compressAll(list.#blocks.slice())
    return list
  }

  get length(): number {
    return this.#index.length
  }

  get index(): Iterable<IndexedEvent> {
    return this.#index
  }

  /** Finds the ascending positions of the events with these values that also pass a test. Undefined values do not filter. */
  findPositions(
    criteria: { readonly [name in keyof IndexedEvent]?: unknown },
    passes: (indexed: IndexedEvent) => boolean = () => true,
  ): number[] {
    const wanted = Object.entries(criteria).filter(([, value]) => value !== undefined)
    const names = wanted.map(([name]) => name as keyof IndexedEvent) // the keys of the criteria
    const found: number[] = []
    for (const [position, indexed] of this.#index.entries())
      if (names.every((name) => indexed[name] === criteria[name]) && passes(indexed)) found.push(position)
    return found
  }

  /** Returns the position of the event with this `insertId`. Undefined: the list has none. */
  positionOf(insertId: string): number | undefined {
    return this.#getPositions().get(insertId)
  }

  #getPositions(): Map<string, number> {
    if (this.#positions) return this.#positions
    this.#positions = new Map()
    for (const [position, { insertId }] of this.#index.entries())
      if (insertId !== undefined) this.#positions.set(insertId, position)
    return this.#positions
  }

  /** Returns a copy. It shares the blocks, so it costs lists of references. */
  copy(): EventList {
    const copy = new EventList()
    copy.#blocks = this.#blocks.slice()
    copy.#tail = this.#tail.slice()
    copy.#tailLength = this.#tailLength
    copy.#index = this.#index.slice()
    copy.#replays = new Map(this.#replays)
    return copy
  }

  push(event: StoredEvent): IndexedEvent {
    const indexed = toIndexed(event)
    const line = JSON.stringify(event)
    // A long event has a block of its own: a read of a short one need not decompress it.
    if (line.length >= BLOCK_LENGTH && this.#tail.length > 0) this.#completeBlock()
    if (indexed.insertId !== undefined) this.#getPositions().set(indexed.insertId, this.length)
    this.#index.push(indexed)
    this.#tail.push(line)
    this.#tailLength += line.length
    if (this.#tail.length >= BLOCK_EVENTS || this.#tailLength >= BLOCK_LENGTH) this.#completeBlock()
    return indexed
  }

  #completeBlock(): void {
    this.#blocks.push(new EventBlock(this.#tailFrom, { lines: this.#tail }))
    this.#tail = []
    this.#tailLength = 0
  }

  get #tailFrom(): number {
    return this.length - this.#tail.length
  }

  replaysOf(position: number): number {
    const known = this.#replays.get(position)
    if (known !== undefined) return known
    if (this.#lastRead?.position !== position) this.at(position)
    return this.#lastRead?.replays ?? 0
  }

  setReplays(position: number, replays: number): void {
    this.#replays.set(position, replays)
  }

  at(position: number): StoredEvent | undefined {
    if (position < 0 || position >= this.length) return undefined
    const { from, lines } = this.#linesAround(position)
    const event = this.#parseEvent(lines[position - from], position)
    this.#lastRead = { position, replays: event.replays }
    return event
  }

  /** Reads the events at ascending positions, as they are now. Many events are read in several turns of the event loop. */
  async read(positions: readonly number[]): Promise<StoredEvent[]> {
    const list = this.copy()
    const events: StoredEvent[] = []
    let block = { from: 0, lines: [] as string[] }
    for (const position of positions) {
      if (position >= block.from + block.lines.length) block = list.#linesAround(position)
      events.push(list.#parseEvent(block.lines[position - block.from], position))
      if (events.length % EVENTS_PER_TURN === 0) await nextTurn()
    }
    return events
  }

  /** Finds the position of the event with this id. No index has it, since only people ask for it, so all events are searched. Undefined: there is none. */
  async findEventId(eventId: string): Promise<number | undefined> {
    const list = this.copy()
    for (let position = 0; position < list.length; ) {
      const { from, lines } = list.#linesAround(position)
      const found = lines.findIndex((line) => line.includes(eventId) && JSON.parse(line).eventId === eventId)
      if (found >= 0) return from + found
      position = from + lines.length
      await nextTurn()
    }
    return undefined
  }

  /** Yields each event as it is written to a file. Copies of this list share the indexed values of their events. */
  *records(): Generator<TableRecord> {
    for (const [position, indexed] of this.#index.entries()) {
      const revision = this.#replays.get(position) ?? -1
      yield { identity: indexed, revision, text: () => [this.#lineAt(position)] }
    }
  }

  #lineAt(position: number): string {
    const { from, lines } = this.#linesAround(position)
    const line = lines[position - from] ?? ''
    return this.#replays.has(position) ? JSON.stringify(this.#parseEvent(line, position)) : line
  }

  /** Returns the lines of the block, or of the tail, that holds the event, with the position of the first line. */
  #linesAround(position: number): { readonly from: number; readonly lines: string[] } {
    if (position >= this.#tailFrom) return { from: this.#tailFrom, lines: this.#tail }
    let low = 0
    for (let high = this.#blocks.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#blocks[middle]?.from ?? 0) <= position) low = middle
      else high = middle - 1
    }
    const block = this.#blocks[low]
    if (!block) return { from: 0, lines: [] }
    if (this.#decompressed?.block !== block) this.#decompressed = { block, lines: block.lines() }
    return { from: block.from, lines: this.#decompressed.lines }
  }

  #parseEvent(line = '', position: number): StoredEvent {
    const event: StoredEvent = JSON.parse(line) // written by this list
    const replays = this.#replays.get(position)
    return replays === undefined ? event : { ...event, replays }
  }
}

/** Compresses blocks one after the other. Its timers do not keep the process alive. */
async function compressAll(blocks: readonly EventBlock[]): Promise<void> {
  for (const block of blocks) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    block.compress()
  }
}
