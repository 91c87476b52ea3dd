import { insertKey } from '../events.ts'
import { ImpactIndex } from '../memory/impact.ts'
import { TextList } from '../memory/text-list.ts'
import { countOccurrence } from '../occurrences.ts'
import type { StoredEvent } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the events of a sandbox. */
export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }

/** The events of a sandbox as JSON. Its indexes make the cost of a command independent of the number of events. */
export class EventTable implements Table<StoredEvent> {
  #texts = new TextList()
  /** The numbers of replays by position, of events that were replayed since they were added. */
  #replays = new Map<number, number>()
  /** The positions of the events by `insertId`. */
  #positions = new Map<string, number>()
  /** The occurrences of payloads without an `insertId`; see `Occurrences`. */
  #occurrences = new Map<string, number>()
  #impact = new ImpactIndex()

  get size(): number {
    return this.#texts.length
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#occurrences
  }

  get impact(): Pick<ImpactIndex, 'query'> {
    return this.#impact
  }

  list(): Iterable<string> {
    return listTexts(this.#texts.copy(), new Map(this.#replays))
  }

  /** Returns the event with this `insertId`, or undefined if there is none. */
  find(insertId: string): StoredEvent | undefined {
    const position = this.#positions.get(insertId)
    const text = position === undefined ? undefined : this.#texts.at(position)
    if (position === undefined || text === undefined) return undefined
    return JSON.parse(withReplays(text, this.#replays.get(position)))
  }

  apply(change: EventChange): void {
    if (change.op === 'event') this.add(change.event)
    else this.#addReplay(change.insertId)
  }

  add(event: StoredEvent): void {
    const key = insertKey(event.fields)
    if (key !== undefined) this.#positions.set(key, this.size)
    else countOccurrence(this.#occurrences, event.eventId, event.repeatOf)
    this.#impact.add(event)
    this.#texts.push(JSON.stringify(event))
  }

  #addReplay(insertId: string): void {
    const position = this.#positions.get(insertId)
    const event = this.find(insertId)
    if (position === undefined || event === undefined) throw new Error(`no event has insertId ${insertId}`)
    this.#replays.set(position, event.replays + 1)
  }

  copy(): EventTable {
    const copy = new EventTable()
    copy.#texts = this.#texts.copy()
    copy.#replays = new Map(this.#replays)
    copy.#positions = new Map(this.#positions)
    copy.#occurrences = new Map(this.#occurrences)
    copy.#impact = this.#impact.copy()
    return copy
  }
}

function* listTexts(texts: TextList, replays: ReadonlyMap<number, number>): Generator<string> {
  let position = 0
  for (const text of texts) yield withReplays(text, replays.get(position++))
}

function withReplays(text: string, replays: number | undefined): string {
  return replays === undefined ? text : JSON.stringify({ ...JSON.parse(text), replays })
}

/** The business events. */
export const eventCollection: Collection<StoredEvent, EventTable> = {
  name: 'events',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: () => new EventTable(),
}
