import type { DayImpact, ImpactQuery, StoredEvent } from '../records.ts'
import type { EventList } from './event-list.ts'
import { ImpactIndex } from './impact.ts'
import type { IndexedEvent } from './indexed-event.ts'
import type { Table, TableRecord } from './table.ts'

/** A change of the events of a sandbox. */
export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }

/** The sums over all events that queries and commands need. */
interface EventSums {
  readonly impact: ImpactIndex
  /** The occurrences of equal payloads without an `insertId`, by the first occurrence's id. */
  readonly occurrences: Map<string, number>
}

/** The events of a sandbox. Its indexes make the cost of a command independent of the number of events. */
export class EventTable implements Table<StoredEvent> {
  readonly list: EventList
  /** Undefined until they are needed: most copies are only read. */
  #sums: EventSums | undefined

  constructor(list: EventList) {
    this.list = list
  }

  get size(): number {
    return this.list.length
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#getSums().occurrences
  }

  /** Returns the event with this `insertId`. Undefined: there is none. */
  find(insertId: string): StoredEvent | undefined {
    const position = this.list.positionOf(insertId)
    return position === undefined ? undefined : this.list.at(position)
  }

  impact(query: ImpactQuery): ReadonlyMap<string, DayImpact> {
    return this.#getSums().impact.query(query)
  }

  apply(change: EventChange): void {
    if (change.op === 'event') this.#add(change.event)
    else this.#addReplay(change.insertId)
  }

  #add(event: StoredEvent): void {
    const sums = this.#getSums()
    addTo(sums, this.list.push(event))
  }

  #addReplay(insertId: string): void {
    const position = this.list.positionOf(insertId)
    if (position === undefined) throw new Error(`no event has insertId ${insertId}`)
    this.list.setReplays(position, this.list.replaysOf(position) + 1)
  }

  copy(): EventTable {
    return new EventTable(this.list.copy())
  }

  readAll(): Promise<StoredEvent[]> {
    return this.list.read(this.list.findPositions({}))
  }

  records(): Iterable<TableRecord> {
    return this.list.records()
  }

  #getSums(): EventSums {
    if (this.#sums) return this.#sums
    this.#sums = { impact: new ImpactIndex(), occurrences: new Map() }
    for (const indexed of this.list.index) addTo(this.#sums, indexed)
    return this.#sums
  }
}

function addTo({ impact, occurrences }: EventSums, indexed: IndexedEvent): void {
  impact.add(indexed)
  const { firstEventId } = indexed
  if (firstEventId !== undefined) occurrences.set(firstEventId, (occurrences.get(firstEventId) ?? 0) + 1)
}
