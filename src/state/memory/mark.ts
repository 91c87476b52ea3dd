import { uuidKey } from '../clone.ts'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'
import { hashOfName } from './insert-index.ts'

/** What is looked at of every event without reading it. */
export interface EventMark {
  /** Where the caller gave it no name: the id of the first event with exactly this payload. */
  readonly first: string | undefined
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
    first: insertKey(fields) === undefined ? (repeatOf ?? eventId) : undefined,
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
  'first',
  'eventType',
  'productKey',
  'conversationKey',
  'externalConversationId',
  'day',
  'impact',
  'sampledOut',
] as const satisfies readonly (keyof EventMark)[]

/** Behind the columns stands the hash of what the caller named the event by, which only those without a `first` have. */
const width = columns.length + 2
const hashColumn = columns.length
/** And how many values there were before the row, so that what came with it can go with it. */
const beforeColumn = columns.length + 1
const firstColumn = columns.indexOf('first')

/** Each value once, with a number. */
class Values {
  readonly #values: unknown[] = []
  readonly #numbers = new Map<unknown, number>()

  at(number: number): unknown {
    return this.#values[number]
  }

  /** Undefined: nobody has had this value. */
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

  /** Forgets those that came after the first so many. */
  keepFirst(count: number): void {
    while (this.#values.length > count) this.#numbers.delete(this.#values.pop())
  }
}

/**
 * The marks of the events of a list, as rows of numbers outside the engine's heap: most events have most of their values in common,
 * and thousands of objects would have to be gone through at every collection.
 */
export class Marks {
  #rows = new Int32Array()
  #length = 0
  #values = new Values()
  /** Whether the values are another one's, too, as those of a copy are until it is changed: most copies are only read. */
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
    if (this.#isShared) this.#takeOwnValues()
    const row = this.#length * width
    if (row === this.#rows.length) this.#makeRoom()
    this.#rows[row + beforeColumn] = this.#values.count
    for (const [column, name] of columns.entries())
      this.#rows[row + column] = this.#values.numberOf(mark[name])
    this.#rows[row + hashColumn] = hashOfName(insertKey(event.fields) ?? '')
    this.#length += 1
    return mark
  }

  pop(): void {
    this.#length -= 1
    if (this.#isShared) return
    this.#values.keepFirst(this.#rows[this.#length * width + beforeColumn] ?? 0)
  }

  *[Symbol.iterator](): Generator<EventMark> {
    for (let index = 0; index < this.#length; index += 1) yield this.#at(index)
  }

  /** The hash of what the caller named the event by; undefined where it has no name. */
  hashAt(index: number): number | undefined {
    const row = index * width
    const first = this.#values.at(this.#rows[row + firstColumn] ?? -1)
    return first === undefined ? this.#rows[row + hashColumn] : undefined
  }

  /** The places of those that have all of these values; undefined ones do not narrow. */
  findPositions(wanted: { readonly [name in keyof EventMark]?: unknown }): number[] {
    const found: number[] = []
    const numbers = columns.flatMap((name, column) =>
      wanted[name] === undefined ? [] : [[column, this.#values.find(wanted[name])] as const],
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
    return mark as EventMark // all that a mark has, as it came
  }

  /** From here on nothing that is kept elsewhere grows with what is added here. */
  #takeOwnValues(): void {
    const own = new Values()
    for (let row = 0; row < this.#length * width; row += width) {
      this.#rows[row + beforeColumn] = own.count
      for (const column of columns.keys())
        this.#rows[row + column] = own.numberOf(this.#values.at(this.#rows[row + column] ?? -1))
    }
    this.#values = own
    this.#isShared = false
  }

  #makeRoom(): void {
    const rows = new Int32Array(Math.max(64 * width, this.#rows.length * 2))
    rows.set(this.#rows)
    this.#rows = rows
  }
}
