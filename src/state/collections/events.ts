import { SlicedWork } from '../../core/slices.ts'
import { insertKey } from '../events.ts'
import { ImpactIndex } from '../memory/impact.ts'
import { TextList } from '../memory/text-list.ts'
import { countOccurrence } from '../occurrences.ts'
import type { DayImpact, ImpactQuery, StoredEvent } from '../records.ts'
import type { Collection, Table } from './collection.ts'

/** A change of the events of a sandbox. */
export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }

/** The values over all events that commands and queries need. */
interface EventIndex {
  /** The positions of the events by `insertId`. */
  readonly positions: Map<string, number>
  /** The occurrences of payloads without an `insertId`; see `Occurrences`. */
  readonly occurrences: Map<string, number>
  readonly impact: ImpactIndex
}

/** Tables of events that are about to be imported. */
const preparedTables = new WeakMap<readonly StoredEvent[], EventTable>()

/** The events of a sandbox as JSON. Its index makes the cost of a command independent of the number of events. */
export class EventTable implements Table {
  readonly #texts: TextList
  /** The numbers of replays by position, of events that were replayed since they were added. */
  readonly #replays: Map<number, number>
  /** Undefined until it is needed. Copies share it until one of them adds an event. */
  #index: EventIndex | undefined
  #isIndexShared = false

  private constructor(texts: TextList, replays: ReadonlyMap<number, number> = new Map(), index?: EventIndex) {
    this.#texts = texts
    this.#replays = new Map(replays)
    this.#index = index
    this.#isIndexShared = index !== undefined
  }

  /** Creates a table of loaded events, or returns the one that was prepared for them. */
  static of(events: readonly StoredEvent[]): EventTable {
    const prepared = preparedTables.get(events)
    preparedTables.delete(events)
    if (prepared) return prepared
    const texts = new TextList()
    for (const event of events) texts.push(JSON.stringify(event))
    return new EventTable(texts)
  }

  /** Does the work of a later `of` in slices, between which other requests are answered. */
  static async prepare(events: readonly StoredEvent[]): Promise<void> {
    const table = new EventTable(new TextList())
    const work = new SlicedWork()
    for (const event of events) {
      table.#add(event)
      if (work.isDue) await work.rest()
    }
    preparedTables.set(events, table)
  }

  /** Builds the index now, and not for the first command that needs it. */
  buildIndex(): void {
    this.#getIndex()
  }

  get size(): number {
    return this.#texts.length
  }

  get occurrences(): ReadonlyMap<string, number> {
    return this.#getIndex().occurrences
  }

  list(): Iterable<string> {
    return listTexts(this.#texts.copy(), new Map(this.#replays))
  }

  /** Returns the event with this `insertId`, or undefined if there is none. */
  find(insertId: string): StoredEvent | undefined {
    const position = this.#getIndex().positions.get(insertId)
    if (position === undefined) return undefined
    const text = this.#texts.at(position)
    return text === undefined ? undefined : JSON.parse(withReplays(text, this.#replays.get(position)))
  }

  impact(query: ImpactQuery): ReadonlyMap<string, DayImpact> {
    return this.#getIndex().impact.query(query)
  }

  apply(change: EventChange): void {
    if (change.op === 'event') this.#add(change.event)
    else this.#addReplay(change.insertId)
  }

  #add(event: StoredEvent): void {
    const index = this.#getOwnIndex()
    this.#texts.push(JSON.stringify(event))
    addTo(index, event, this.#texts.length - 1)
  }

  #addReplay(insertId: string): void {
    const position = this.#getIndex().positions.get(insertId)
    const event = this.find(insertId)
    if (position === undefined || event === undefined) throw new Error(`no event has insertId ${insertId}`)
    this.#replays.set(position, event.replays + 1)
  }

  copy(): EventTable {
    this.#isIndexShared = this.#index !== undefined
    return new EventTable(this.#texts.copy(), this.#replays, this.#index)
  }

  #getOwnIndex(): EventIndex {
    const { positions, occurrences, impact } = this.#getIndex()
    if (this.#isIndexShared)
      this.#index = {
        positions: new Map(positions),
        occurrences: new Map(occurrences),
        impact: impact.copy(),
      }
    this.#isIndexShared = false
    return this.#getIndex()
  }

  #getIndex(): EventIndex {
    if (this.#index) return this.#index
    const index = { positions: new Map(), occurrences: new Map(), impact: new ImpactIndex() }
    let position = 0
    for (const text of this.#texts) addTo(index, JSON.parse(text), position++)
    this.#index = index
    return index
  }
}

function* listTexts(texts: TextList, replays: ReadonlyMap<number, number>): Generator<string> {
  let position = 0
  for (const text of texts) yield withReplays(text, replays.get(position++))
}

function withReplays(text: string, replays: number | undefined): string {
  return replays === undefined ? text : JSON.stringify({ ...JSON.parse(text), replays })
}

function addTo({ positions, occurrences, impact }: EventIndex, event: StoredEvent, position: number): void {
  impact.add(event)
  const key = insertKey(event.fields)
  if (key !== undefined) positions.set(key, position)
  else countOccurrence(occurrences, event.eventId, event.repeatOf)
}

/** The business events. */
export const eventCollection: Collection<StoredEvent, EventTable, 'events'> = {
  name: 'events',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: (events) => EventTable.of(events),
  prepareTable: (events) => EventTable.prepare(events),
}
