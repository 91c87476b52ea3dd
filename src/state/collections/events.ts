import { insertKey } from '../events.ts'
import { ImpactIndex, impactOfEvent } from '../memory/impact.ts'
import { countOccurrence, type Occurrences } from '../occurrences.ts'
import type { StoredEvent } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the events of a sandbox. */
export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }

/** The events of a sandbox as JSON. Its indexes make the cost of a command independent of the number of events. */
export class EventTable implements Table<StoredEvent> {
  #texts: string[] = []
  /** The positions of the events by `insertId`. */
  #positions = new Map<string, number>()
  /** The occurrences of payloads without an `insertId`; see `Occurrences`. */
  #occurrences = new Map<string, number>()
  #impact = new ImpactIndex()

  get size(): number {
    return this.#texts.length
  }

  get occurrences(): Occurrences {
    return this.#occurrences
  }

  get impact(): Pick<ImpactIndex, 'query'> {
    return this.#impact
  }

  list(): readonly string[] {
    return this.#texts.slice()
  }

  /** Returns the event with this `insertId`, or undefined if there is none. */
  find(insertId: string): StoredEvent | undefined {
    const position = this.#positions.get(insertId)
    if (position === undefined) return undefined
    return JSON.parse(this.#texts[position] as string) // added with its position
  }

  apply(change: EventChange): void {
    if (change.op === 'event') this.add(change.event)
    else this.#addReplay(change.insertId)
  }

  add(event: StoredEvent): void {
    const key = insertKey(event.fields)
    if (key !== undefined) this.#positions.set(key, this.size)
    else countOccurrence(this.#occurrences, event.eventId, event.repeatOf)
    if (!event.sampledOut) this.#impact.add(impactOfEvent(event))
    this.#texts.push(JSON.stringify(event))
  }

  #addReplay(insertId: string): void {
    const position = this.#positions.get(insertId)
    const event = this.find(insertId)
    if (position === undefined || event === undefined) throw new Error(`no event has insertId ${insertId}`)
    this.#texts[position] = JSON.stringify({ ...event, replays: event.replays + 1 })
  }

  copy(): EventTable {
    const copy = new EventTable()
    copy.#texts = this.#texts.slice()
    copy.#positions = new Map(this.#positions)
    copy.#occurrences = new Map(this.#occurrences)
    copy.#impact = this.#impact.copy()
    return copy
  }
}

/** The business events. */
export const eventCollection: Collection<StoredEvent, EventTable> = {
  name: 'events',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: () => new EventTable(),
}
