import { setImmediate, setTimeout } from 'node:timers/promises'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'
import { EventBlock } from './event-block.ts'
import { hashOfName, InsertIndex } from './insert-index.ts'
import { type EventMark, Marks } from './mark.ts'

/** So many events, or characters, are packed together: packing takes well below a millisecond, reading one of them as well. */
const BLOCK_EVENTS = 64
const BLOCK_LENGTH = 64 * 1024

/** As many events are read in one turn of the event loop: some milliseconds. */
const AT_ONCE = 1000

/** Milliseconds from packing one block of what was loaded to the next, so that requests have most of the time. */
const PAUSE = 1

/**
 * Events in the order of their recording. Thousands of them are kept for one that is ever looked at again, so only what every
 * step needs stands ready, in their marks; the rest is packed away as JSON and read when somebody asks for it.
 */
export class EventList {
  #blocks: EventBlock[] = []
  /** The last ones, not packed yet. */
  #open: string[] = []
  #openLength = 0
  #marks = new Marks()
  /** Undefined until somebody asks: most copies are only read. */
  #byName: InsertIndex | undefined
  /** How often events were sent again that were so since they were put here, by their place. */
  #replays = new Map<number, number>()
  /** What was unpacked last: who looks at an event may look at it again, or at the next one. */
  #unpacked: { readonly block: EventBlock; readonly lines: string[] } | undefined

  /** A list of events that nobody changes any more. They are packed in later turns, since a start has no time for it. */
  static of(events: readonly StoredEvent[]): EventList {
    const list = new EventList()
    for (const event of events) list.#marks.push(event)
    for (let from = 0; from < events.length; from += BLOCK_EVENTS) {
      list.#blocks.push(new EventBlock(from, events.slice(from, from + BLOCK_EVENTS)))
    }
    void packAll(list.#blocks.slice())
    return list
  }

  get length(): number {
    return this.#marks.length
  }

  get marks(): Iterable<EventMark> {
    return this.#marks
  }

  /** The places of the events with these marks, ascending; what is absent does not narrow. */
  findPositions(marks: Parameters<Marks['findPositions']>[0]): number[] {
    return this.#marks.findPositions(marks)
  }

  /** The place of the event that its caller named so; undefined where there is none. */
  positionOf(insertId: string): number | undefined {
    for (const place of this.#names().candidates(hashOfName(insertId))) {
      const event = this.at(place)
      if (event && insertKey(event.fields) === insertId) return place
    }
    return undefined
  }

  /** The list at this moment. It shares what is packed, so it costs lists of references and the rows of the marks. */
  copy(): EventList {
    const copy = new EventList()
    copy.#blocks = this.#blocks.slice()
    copy.#open = this.#open.slice()
    copy.#openLength = this.#openLength
    copy.#marks = this.#marks.copy()
    copy.#replays = new Map(this.#replays)
    return copy
  }

  push(event: StoredEvent): EventMark {
    const names = this.#names()
    const mark = this.#marks.push(event)
    names.add(this.length - 1)
    const line = JSON.stringify(event)
    this.#open.push(line)
    this.#openLength += line.length
    if (this.#open.length >= BLOCK_EVENTS || this.#openLength >= BLOCK_LENGTH) this.#pack()
    return mark
  }

  #names(): InsertIndex {
    if (this.#byName) return this.#byName
    this.#byName = new InsertIndex((place) => this.#marks.hashAt(place))
    for (let place = 0; place < this.length; place += 1) this.#byName.add(place)
    return this.#byName
  }

  #pack(): void {
    this.#blocks.push(new EventBlock(this.#openFrom, { lines: this.#open }))
    this.#setOpen([])
  }

  get #openFrom(): number {
    return this.length - this.#open.length
  }

  #setOpen(lines: string[]): void {
    this.#open = lines
    this.#openLength = lines.reduce((sum, { length }) => sum + length, 0)
  }

  /** Takes the last event off again. */
  pop(): void {
    this.#byName?.removeLast(this.length - 1)
    if (this.#open.length === 0) this.#setOpen(this.#blocks.pop()?.lines() ?? [])
    this.#openLength -= this.#open.pop()?.length ?? 0
    this.#marks.pop()
  }

  replaysOf(index: number): number {
    return this.at(index)?.replays ?? 0
  }

  setReplays(index: number, replays: number): void {
    this.#replays.set(index, replays)
  }

  at(index: number): StoredEvent | undefined {
    if (index < 0 || index >= this.length) return undefined
    const { from, lines } = this.#linesAround(index)
    return this.#event(lines[index - from], index)
  }

  /** The events at these places, which ascend, as they are now. Goes on in later turns where there are many. */
  async read(indexes: readonly number[]): Promise<StoredEvent[]> {
    const now = this.copy()
    const events: StoredEvent[] = []
    let around = { from: 0, lines: [] as string[] }
    for (const index of indexes) {
      if (index >= around.from + around.lines.length) around = now.#linesAround(index)
      events.push(now.#event(around.lines[index - around.from], index))
      if (events.length % AT_ONCE === 0) await setImmediate()
    }
    return events
  }

  /** Each event as JSON. */
  *lines(): Generator<string> {
    for (let from = 0; from < this.length; ) {
      const around = this.#linesAround(from)
      for (const line of around.lines) {
        yield this.#replays.has(from) ? JSON.stringify(this.#event(line, from)) : line
        from += 1
      }
    }
  }

  /** The lines of the block that holds this event, or of those that are not packed yet, and the place of the first. */
  #linesAround(index: number): { readonly from: number; readonly lines: string[] } {
    if (index >= this.#openFrom) return { from: this.#openFrom, lines: this.#open }
    let low = 0
    for (let high = this.#blocks.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#blocks[middle]?.from ?? 0) <= index) low = middle
      else high = middle - 1
    }
    const block = this.#blocks[low]
    if (!block) return { from: 0, lines: [] }
    if (this.#unpacked?.block !== block) this.#unpacked = { block, lines: block.lines() }
    return { from: block.from, lines: this.#unpacked.lines }
  }

  #event(line = '', index: number): StoredEvent {
    const event: StoredEvent = JSON.parse(line) // what we have written ourselves
    const replays = this.#replays.get(index)
    return replays === undefined ? event : { ...event, replays }
  }
}

/** Does not keep the process from ending. */
async function packAll(blocks: readonly EventBlock[]): Promise<void> {
  for (const block of blocks) {
    await setTimeout(PAUSE, undefined, { ref: false })
    block.compress()
  }
}
