import { setImmediate, setTimeout } from 'node:timers/promises'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'
import { EventBlock } from './event-block.ts'
import { hashInsertId, InsertIndex } from './insert-index.ts'
import { type EventMark, Marks } from './mark.ts'

/** The largest number of events in a block. Compressing a block, or reading one event of it, takes well below 1 ms. */
const BLOCK_EVENTS = 64

/** The number of characters from which on a block is complete. */
const BLOCK_LENGTH = 64 * 1024

/** The number of events that are read in one turn of the event loop, which takes some milliseconds. */
const EVENTS_PER_TURN = 1000

/** Milliseconds between the compression of two loaded blocks, so that requests have most of the time. */
const PAUSE_MS = 1

/**
 * Events in the order in which they were recorded. Few events are ever read again, so they are compressed as JSON; only
 * the values that commands need are also held in marks.
 */
export class EventList {
  #blocks: EventBlock[] = []
  /** The last events as JSON, not in a block yet. */
  #tail: string[] = []
  /** The length of the tail in characters. */
  #tailLength = 0
  #marks = new Marks()
  /** Undefined until the first search: most copies are only read. */
  #insertIndex: InsertIndex | undefined
  /** The number of replays by position, of events that were replayed since they were added. */
  #replays = new Map<number, number>()
  /** The block that was decompressed last, since the same event or the next is often read after an event. */
  #decompressed: { readonly block: EventBlock; readonly lines: string[] } | undefined

  /** Creates a list from events that never change. They are compressed in later turns, so that a start is fast. */
  static of(events: readonly StoredEvent[]): EventList {
    const list = new EventList()
    for (const event of events) list.#marks.push(event)
    for (let from = 0; from < events.length; from += BLOCK_EVENTS) {
      list.#blocks.push(new EventBlock(from, events.slice(from, from + BLOCK_EVENTS)))
    }
    void compressAll(list.#blocks.slice())
    return list
  }

  get length(): number {
    return this.#marks.length
  }

  get marks(): Iterable<EventMark> {
    return this.#marks
  }

  /** Finds the ascending positions of the events with these values. Absent values do not filter. */
  findPositions(criteria: Parameters<Marks['findPositions']>[0]): number[] {
    return this.#marks.findPositions(criteria)
  }

  /** Returns the position of the event with this `insertId`. Undefined: the list has none. */
  positionOf(insertId: string): number | undefined {
    for (const position of this.#getInsertIndex().candidates(hashInsertId(insertId))) {
      const event = this.at(position)
      if (event && insertKey(event.fields) === insertId) return position
    }
    return undefined
  }

  /** Returns a copy. It shares the blocks, so it costs lists of references and the rows of the marks. */
  copy(): EventList {
    const copy = new EventList()
    copy.#blocks = this.#blocks.slice()
    copy.#tail = this.#tail.slice()
    copy.#tailLength = this.#tailLength
    copy.#marks = this.#marks.copy()
    copy.#replays = new Map(this.#replays)
    return copy
  }

  push(event: StoredEvent): EventMark {
    const index = this.#getInsertIndex()
    const mark = this.#marks.push(event)
    index.add(this.length - 1)
    const line = JSON.stringify(event)
    this.#tail.push(line)
    this.#tailLength += line.length
    if (this.#tail.length >= BLOCK_EVENTS || this.#tailLength >= BLOCK_LENGTH) this.#completeBlock()
    return mark
  }

  #getInsertIndex(): InsertIndex {
    if (this.#insertIndex) return this.#insertIndex
    this.#insertIndex = new InsertIndex((position) => this.#marks.hashAt(position))
    for (let position = 0; position < this.length; position += 1) this.#insertIndex.add(position)
    return this.#insertIndex
  }

  #completeBlock(): void {
    this.#blocks.push(new EventBlock(this.#tailFrom, { lines: this.#tail }))
    this.#setTail([])
  }

  get #tailFrom(): number {
    return this.length - this.#tail.length
  }

  #setTail(lines: string[]): void {
    this.#tail = lines
    this.#tailLength = lines.reduce((sum, { length }) => sum + length, 0)
  }

  /** Removes the last event. */
  pop(): void {
    this.#insertIndex?.removeLast(this.length - 1)
    if (this.#tail.length === 0) this.#setTail(this.#blocks.pop()?.lines() ?? [])
    this.#tailLength -= this.#tail.pop()?.length ?? 0
    this.#marks.pop()
  }

  replaysOf(position: number): number {
    return this.at(position)?.replays ?? 0
  }

  setReplays(position: number, replays: number): void {
    this.#replays.set(position, replays)
  }

  at(position: number): StoredEvent | undefined {
    if (position < 0 || position >= this.length) return undefined
    const { from, lines } = this.#linesAround(position)
    return this.#parseEvent(lines[position - from], position)
  }

  /** Reads the events at ascending positions, as they are now. Many events are read in several turns of the event loop. */
  async read(positions: readonly number[]): Promise<StoredEvent[]> {
    const list = this.copy()
    const events: StoredEvent[] = []
    let block = { from: 0, lines: [] as string[] }
    for (const position of positions) {
      if (position >= block.from + block.lines.length) block = list.#linesAround(position)
      events.push(list.#parseEvent(block.lines[position - block.from], position))
      if (events.length % EVENTS_PER_TURN === 0) await setImmediate()
    }
    return events
  }

  /** Yields each event as JSON. */
  *lines(): Generator<string> {
    for (let from = 0; from < this.length; ) {
      const { lines } = this.#linesAround(from)
      for (const line of lines) {
        yield this.#replays.has(from) ? JSON.stringify(this.#parseEvent(line, from)) : line
        from += 1
      }
    }
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
    await setTimeout(PAUSE_MS, undefined, { ref: false })
    block.compress()
  }
}
