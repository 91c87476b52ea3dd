import { insertKey } from '../events.ts'
import { ImpactIndex } from '../memory/impact.ts'
import { TextList } from '../memory/text-list.ts'
import type { DayImpact, ImpactQuery, StoredEvent } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the events of a sandbox. */
export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  /** `replays`: the number of replays of the event from now on. */
  | { readonly op: 'replay'; readonly insertId: string; readonly replays: number }

/** The values over all events that commands and queries need. */
class EventIndex {
  /** The positions of the events by `insertId`. */
  readonly positions: Map<string, number>
  /** The occurrences of equal payloads without an `insertId`, by the first occurrence's id. */
  readonly occurrences: Map<string, number>
  readonly impact: ImpactIndex

  constructor(original?: EventIndex) {
    this.positions = new Map(original?.positions)
    this.occurrences = new Map(original?.occurrences)
    this.impact = original?.impact.copy() ?? new ImpactIndex()
  }

  add(event: StoredEvent, position: number): void {
    this.impact.add(event)
    const key = insertKey(event.fields)
    const firstId = event.repeatOf ?? event.eventId
    if (key !== undefined) this.positions.set(key, position)
    else this.occurrences.set(firstId, (this.occurrences.get(firstId) ?? 0) + 1)
  }
}

/** The events of a sandbox as JSON. Its index makes the cost of a command independent of the number of events. */
export class EventTable implements Table {
  readonly #texts: TextList
  /** The numbers of replays by position, of events that were replayed since they were added. */
  readonly #replays: Map<number, number>
  /** Copies share it until one of them adds an event. */
  #index: EventIndex
  #isIndexShared: boolean

  constructor(texts = new TextList(), replays?: ReadonlyMap<number, number>, index?: EventIndex) {
    this.#texts = texts
    this.#replays = new Map(replays)
    this.#index = index ?? new EventIndex()
    this.#isIndexShared = index !== undefined
  }

  get size(): number {
    return this.#texts.length
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#index.occurrences
  }

  list(): Generator<string> {
    return this.#listFrom(0)
  }

  *#listFrom(first: number): Generator<string> {
    let position = first
    for (const text of this.#texts.from(first)) yield this.#withReplays(text, position++)
  }

  #withReplays(text: string, position: number): string {
    const replays = this.#replays.get(position)
    return replays === undefined ? text : JSON.stringify({ ...JSON.parse(text), replays })
  }

  /** Returns the event with this `insertId`, or undefined if there is none. */
  find(insertId: string): StoredEvent | undefined {
    const position = this.#index.positions.get(insertId) ?? -1
    const text = this.#texts.at(position)
    return text === undefined ? undefined : JSON.parse(this.#withReplays(text, position))
  }

  impact(query: ImpactQuery): ReadonlyMap<string, DayImpact> {
    return this.#index.impact.query(query)
  }

  add(event: StoredEvent): void {
    if (this.#isIndexShared) this.#index = new EventIndex(this.#index)
    this.#isIndexShared = false
    this.#texts.push(JSON.stringify(event))
    this.#index.add(event, this.#texts.length - 1)
  }

  apply(change: EventChange): void {
    if (change.op === 'event') {
      this.add(change.event)
      return
    }
    const position = this.#index.positions.get(change.insertId)
    if (position === undefined) throw new Error(`no event has insertId ${change.insertId}`)
    this.#replays.set(position, change.replays)
  }

  copy(): EventTable {
    this.#isIndexShared = true
    return new EventTable(this.#texts.copy(), this.#replays, this.#index)
  }

  continues(earlier: EventTable): boolean {
    const replayed = [...earlier.#replays.keys()]
    return this.#texts.beginsWith(earlier.#texts) && replayed.every((position) => this.#replays.has(position))
  }

  *changesSince(earlier: EventTable): Generator<EventChange | string> {
    for (const [position, replays] of this.#replays) {
      if (position >= earlier.size || earlier.#replays.get(position) === replays) continue
      const { fields }: StoredEvent = JSON.parse(this.#texts.at(position) ?? '')
      yield { op: 'replay', insertId: insertKey(fields) ?? '', replays }
    }
    for (const text of this.#listFrom(earlier.size)) yield `"op":"event","event":${text}}`
  }
}

/** The business events. */
export const eventCollection: Collection<StoredEvent, EventTable, 'events'> = {
  name: 'events',
  schema: 'event',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: () => new EventTable(),
}
