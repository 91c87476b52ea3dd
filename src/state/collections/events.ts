import { canonicalJson, isSameJson, type Json } from '../../base/core/json.ts'
import { chanceOfUuid, deriveUuid } from '../../base/core/seeded.ts'
import {
  countOccurrence,
  type DayImpact,
  deriveOccurrenceId,
  type EventDraft,
  type ImpactQuery,
  type Occurrences,
  type StoredEvent,
  uuidKey,
  type WriteContext,
} from '../records.ts'
import type { Collection, Table } from './collection.ts'

export type EventChange =
  | { readonly op: 'event'; readonly event: StoredEvent }
  | { readonly op: 'replay'; readonly insertId: string }

/** A sandbox's events as JSON. The indexes keep the time to record an event independent of the number of events. */
export class EventTable implements Table<StoredEvent> {
  #texts: string[] = []
  #positions = new Map<string, number>()
  /** The number of events with each payload, counting only events without an `insertId`; see `Occurrences`. */
  occurrences = new Map<string, number>()
  impact = new ImpactIndex()

  get size(): number {
    return this.#texts.length
  }

  list(): readonly string[] {
    return this.#texts.slice()
  }

  find(insertId: string): StoredEvent | undefined {
    const position = this.#positions.get(insertId)
    if (position === undefined) return undefined
    return JSON.parse(this.#texts[position] as string) // positions are indexes into `#texts`
  }

  apply(change: EventChange): void {
    if (change.op === 'event') this.add(change.event)
    else this.#addReplay(change.insertId)
  }

  add(event: StoredEvent): void {
    const key = insertKey(event.fields)
    if (key !== undefined) this.#positions.set(key, this.size)
    else countOccurrence(this.occurrences, event.eventId, event.repeatOf)
    if (!event.sampledOut) this.impact.add(impactSumOf(event))
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
    copy.occurrences = new Map(this.occurrences)
    copy.impact = this.impact.copy()
    return copy
  }
}

export const eventCollection: Collection<StoredEvent, EventTable> = {
  name: 'events',
  keyOf: ({ eventId }) => eventId,
  otherKeys: ({ fields }) => ({ insertId: insertKey(fields) }),
  ops: ['event', 'replay'],
  createTable: () => new EventTable(),
}

/** Creates an event. The ID depends on the `insertId` or, without one, on the payload and its earlier occurrences. */
export function createStoredEvent(context: WriteContext, draft: EventDraft, occurrences: Occurrences): StoredEvent {
  const receivedAt = new Date(context.now).toISOString()
  const seedPath = [context.seed, context.sandbox, 'event']
  const key = insertKey(draft)
  // JSON escapes lone surrogates, which would otherwise all be hashed as the same replacement character.
  const path = key === undefined ? ['payload', canonicalJson(draft as Json)] : ['insertId', JSON.stringify(key)]
  const first = deriveUuid([...seedPath, ...path])
  const { id, ...repeat } = key === undefined ? deriveOccurrenceId(seedPath, first, occurrences) : { id: first }
  return {
    eventId: id,
    ...repeat,
    fields: { ...draft, eventAt: draft.eventAt ?? receivedAt },
    impact: impactOf(draft),
    sampledOut: chanceOfUuid(id) >= sampleRateOf(draft),
    receivedAt,
    replays: 0,
    ...(draft.eventAt === undefined && { eventAtDefaulted: true }),
  }
}

/** Returns the `insertId`; undefined if absent or null. Non-string values, which a contract may allow, become JSON. */
export function insertKey({ insertId }: { readonly insertId?: unknown }): string | undefined {
  if (insertId === undefined || insertId === null) return undefined
  return typeof insertId === 'string' ? insertId : canonicalJson(insertId as Json) // parsed from JSON
}

const DEFAULT_SCORES = new Map<unknown, number>(Object.entries({ positive: 1, negative: -1 }))

/** Returns the score or, without one, the default score of the influence: 1, -1 or 0. */
function impactOf({ qualityImpactScore: score, influence }: EventDraft): number {
  // The score is clamped, since a contract may allow any number.
  return typeof score === 'number' ? Math.max(-1e6, Math.min(1e6, score)) : (DEFAULT_SCORES.get(influence) ?? 0)
}

/** Returns the fraction of events to keep. Sampling depends on the event ID, so repeated runs keep the same events. */
export function sampleRateOf({ sampleRate, forceSample }: EventDraft): number {
  return typeof sampleRate === 'number' && forceSample !== true ? sampleRate : 1
}

/** Returns true if a retry's payload differs from the stored payload. Ignores a stored `eventAt` that was not sent. */
export function payloadDiffers(stored: StoredEvent, retry: EventDraft): boolean {
  const { eventAt, ...others } = stored.fields
  const sent = stored.eventAtDefaulted ? others : { ...others, eventAt }
  return !isSameJson(sent as Json, retry as Json)
}

/** The total impact of a product's events during a UTC day, excluding events that sampling dropped. */
export interface ImpactSum {
  readonly product: string | null
  readonly day: string
  /** The impact in billionths: an integer, so that a sum does not depend on the order of its terms. */
  readonly units: number
  readonly events: number
}

export const UNITS_PER_IMPACT = 1e9

export function impactSumOf({ fields: { productId, eventAt }, impact }: StoredEvent): ImpactSum {
  const day = eventAt.slice(0, eventAt.indexOf('T'))
  return { product: uuidKey(productId), day, units: Math.round(impact * UNITS_PER_IMPACT), events: 1 }
}

export class ImpactIndex {
  readonly #products = new Map<string | null, Map<string, ImpactSum>>()

  copy(): ImpactIndex {
    const copy = new ImpactIndex()
    for (const [product, days] of this.#products) copy.#products.set(product, new Map(days))
    return copy
  }

  add(sum: ImpactSum): void {
    const days = this.#products.get(sum.product) ?? new Map<string, ImpactSum>()
    this.#products.set(sum.product, days)
    addSum(days, sum)
  }

  *list(): Generator<ImpactSum> {
    for (const days of this.#products.values()) yield* days.values()
  }

  /** Returns each day's sum over the query's products, earliest day first. Days without events are omitted. */
  query({ productIds, from, to }: ImpactQuery): ReadonlyMap<string, DayImpact> {
    const found = new Map<string, ImpactSum>()
    for (const product of new Set(productIds.map(uuidKey))) {
      const sums = this.#products.get(product)?.values() ?? []
      for (const sum of sums) if (sum.day >= from && sum.day <= to) addSum(found, sum)
    }
    const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return new Map(inOrder.map(([day, { units, events }]) => [day, { impact: units / UNITS_PER_IMPACT, events }]))
  }
}

function addSum(days: Map<string, ImpactSum>, sum: ImpactSum): void {
  const { units = 0, events = 0 } = days.get(sum.day) ?? {}
  days.set(sum.day, { ...sum, units: sum.units + units, events: sum.events + events })
}
