import { uuidKey } from '../clone.ts'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'
import { hashInsertId } from './insert-index.ts'

/** The values of an event that are needed without reading the whole event. */
export interface EventMark {
  /** The id of the first event with the same payload. Undefined: the event has an `insertId`. */
  readonly firstEventId: string | undefined
  readonly eventType: unknown
  readonly productKey: string | null
  readonly conversationKey: string | null
  readonly externalConversationId: unknown
  /** UTC: `2026-01-15`. */
  readonly day: string
  readonly impact: number
  readonly sampledOut: boolean
}

function markOf(event: StoredEvent): EventMark {
  const { fields, eventId, repeatOf, impact, sampledOut } = event
  return {
    firstEventId: insertKey(fields) === undefined ? (repeatOf ?? eventId) : undefined,
    eventType: fields.eventType,
    productKey: uuidKey(fields.productId),
    conversationKey: uuidKey(fields.conversationId),
    externalConversationId: fields.externalConversationId,
    day: fields.eventAt.slice(0, fields.eventAt.indexOf('T')),
    impact,
    sampledOut,
  }
}

const columns = [
  'firstEventId',
  'eventType',
  'productKey',
  'conversationKey',
  'externalConversationId',
  'day',
  'impact',
  'sampledOut',
] as const satisfies readonly (keyof EventMark)[]

/** The length of a row: the columns, the hash of the `insertId` (valid without a `firstEventId`), and the value count. */
const width = columns.length + 2
const hashColumn = columns.length
/** The number of values before the row was added; later values are removed with the row. */
const valueCountColumn = columns.length + 1
const firstEventColumn = columns.indexOf('firstEventId')

/** Distinct values, each with a number. */
class Values {
  readonly #values: unknown[] = []
  readonly #numbers = new Map<unknown, number>()

  at(number: number): unknown {
    return this.#values[number]
  }

  /** Returns the number of a value. Undefined: the value is not stored. */
  find(value: unknown): number | undefined {
    return this.#numbers.get(value)
  }

  numberOf(value: unknown): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    this.#numbers.set(value, this.#values.length)
    return this.#values.push(value) - 1
  }

  get count(): number {
    return this.#values.length
  }

  /** Removes all values but the first `count`. */
  truncate(count: number): void {
    while (this.#values.length > count) this.#numbers.delete(this.#values.pop())
  }
}

/**
 * The marks of a list of events, as rows of numbers outside the heap. Events share most of their values, and the garbage
 * collector would have to visit thousands of objects at every collection.
 */
export class Marks {
  #rows = new Int32Array()
  #length = 0
  #values = new Values()
  /** True: a copy shares the values, which it must not change. Most copies are only read. */
  #isShared = false

  get length(): number {
    return this.#length
  }

  copy(): Marks {
    const copy = new Marks()
    copy.#rows = this.#rows.slice(0, this.#length * width)
    copy.#length = this.#length
    copy.#values = this.#values
    copy.#isShared = true
    return copy
  }

  push(event: StoredEvent): EventMark {
    const mark = markOf(event)
    if (this.#isShared) this.#copyValues()
    const row = this.#length * width
    if (row === this.#rows.length) this.#growRows()
    this.#rows[row + valueCountColumn] = this.#values.count
    for (const [column, name] of columns.entries())
      this.#rows[row + column] = this.#values.numberOf(mark[name])
    this.#rows[row + hashColumn] = hashInsertId(insertKey(event.fields) ?? '')
    this.#length += 1
    return mark
  }

  pop(): void {
    this.#length -= 1
    if (this.#isShared) return
    this.#values.truncate(this.#rows[this.#length * width + valueCountColumn] ?? 0)
  }

  *[Symbol.iterator](): Generator<EventMark> {
    for (let index = 0; index < this.#length; index += 1) yield this.#at(index)
  }

  /** Returns the hash of an event's `insertId`. Undefined: the event has none. */
  hashAt(index: number): number | undefined {
    const row = index * width
    const firstEventId = this.#values.at(this.#rows[row + firstEventColumn] ?? -1)
    return firstEventId === undefined ? this.#rows[row + hashColumn] : undefined
  }

  /** Finds the positions of the events that have all of these values. Undefined values do not filter. */
  findPositions(criteria: { readonly [name in keyof EventMark]?: unknown }): number[] {
    const found: number[] = []
    const numbers = columns.flatMap((name, column) =>
      criteria[name] === undefined ? [] : [[column, this.#values.find(criteria[name])] as const],
    )
    for (let index = 0; index < this.#length; index += 1)
      if (numbers.every(([column, number]) => this.#rows[index * width + column] === number))
        found.push(index)
    return found
  }

  #at(index: number): EventMark {
    const mark: { -readonly [name in keyof EventMark]?: unknown } = {}
    for (const [column, name] of columns.entries())
      mark[name] = this.#values.at(this.#rows[index * width + column] ?? -1)
    return mark as EventMark // every column was written from a mark
  }

  /** Replaces shared values by own ones, so that added values do not grow the original's. */
  #copyValues(): void {
    const own = new Values()
    for (let row = 0; row < this.#length * width; row += width) {
      this.#rows[row + valueCountColumn] = own.count
      for (const column of columns.keys())
        this.#rows[row + column] = own.numberOf(this.#values.at(this.#rows[row + column] ?? -1))
    }
    this.#values = own
    this.#isShared = false
  }

  #growRows(): void {
    const rows = new Int32Array(Math.max(64 * width, this.#rows.length * 2))
    rows.set(this.#rows)
    this.#rows = rows
  }
}
