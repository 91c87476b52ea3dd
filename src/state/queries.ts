import { inSlices } from '../base/core/slices.ts'
import { uuidKey } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import { countEach, type RecordCounts } from './collections/index.ts'
import { insertKey } from './events.ts'
import type { EventDraft, StoredEvent } from './records.ts'
import type { EventPage, EventQuery, Records, SandboxSummary, StateSummary } from './store.ts'

/** The events of a sandbox at one moment. */
export interface EventSource {
  readonly size: number
  /** Reads the events between two places. */
  read(from: number, to: number): Records<StoredEvent>
}

/** Two places: the first, and the one after the last. */
type Range = readonly [from: number, to: number]

/** The number of events that are held at a time if the newest come first. */
const maxReversed = 4

/**
 * Finds a page of the events that match, and counts all that match, in slices between which others are handled. It
 * holds the places of the events, which are read again with the page. `candidates`: the range of those that may match.
 */
export async function listEvents(
  source: EventSource,
  query: EventQuery,
  candidates: Range = [0, source.size],
): Promise<EventPage> {
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER, order = 'oldest' } = query
  const matches = createTest(query)
  const places = matches && (await findPlaces(source, candidates, matches))
  const total = places?.length ?? source.size
  const [start, end] = [Math.min(offset, total), Math.min(offset + limit, total)]
  const [from, to] = order === 'newest' ? [total - end, total - start] : [start, end]
  const ranges = places ? toRanges(places.slice(from, to)) : [[from, to] as const]
  return { events: order === 'newest' ? readNewestFirst(source, ranges) : readRanges(source, ranges), total }
}

async function findPlaces(
  source: EventSource,
  [from, to]: Range,
  matches: (event: StoredEvent) => boolean,
): Promise<number[]> {
  const places: number[] = []
  let place = from
  for await (const event of inSlices(source.read(from, to))) {
    if (matches(event)) places.push(place)
    place += 1
  }
  return places
}

/** Joins consecutive places. */
function toRanges(places: readonly number[]): Range[] {
  const ranges: [number, number][] = []
  for (const place of places) {
    const last = ranges.at(-1)
    if (last?.[1] === place) last[1] += 1
    else ranges.push([place, place + 1])
  }
  return ranges
}

async function* readRanges(source: EventSource, ranges: readonly Range[]): AsyncGenerator<StoredEvent> {
  for (const range of ranges) yield* source.read(...range)
}

async function* readNewestFirst(source: EventSource, ranges: readonly Range[]): AsyncGenerator<StoredEvent> {
  for (const [from, to] of ranges.toReversed())
    for (let end = to; end > from; end -= maxReversed) {
      const events: StoredEvent[] = []
      for await (const event of source.read(Math.max(from, end - maxReversed), end)) events.push(event)
      yield* events.reverse()
    }
}

/** Returns a test that an event passes if it has all values of the query, or undefined if all events pass. */
function createTest(pageQuery: EventQuery): ((event: StoredEvent) => boolean) | undefined {
  const { offset, limit, order, ...query } = pageQuery
  if (Object.values(query).every((value) => value === undefined)) return undefined
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const [product, conversationId] = [uuidKey(query.productId), uuidKey(query.conversationId)]
  const eventId = uuidKey(query.eventId)
  return ({ fields, ...event }) =>
    (eventType === undefined || fields.eventType === eventType) &&
    (externalConversationId === undefined || fields.externalConversationId === externalConversationId) &&
    (sampledOut === undefined || event.sampledOut === sampledOut) &&
    (insertId === undefined || insertKey(fields) === insertId) &&
    (eventId === null || uuidKey(event.eventId) === eventId) &&
    (product === null || uuidKey(fields.productId) === product) &&
    (conversationId === null || uuidKey(fields.conversationId) === conversationId) &&
    (query.conversation === undefined || belongsTo(fields, query.conversation))
}

/** Returns true if an event belongs to a conversation, which the caller's id names if the event has no other. */
function belongsTo({ conversationId, externalConversationId }: EventDraft, conversation: string): boolean {
  const key = uuidKey(conversationId)
  return key === null ? externalConversationId === conversation : key === conversation.toLowerCase()
}

/** Adds up the records of all sandboxes. */
export function addUpRecords(sandboxes: readonly SandboxSummary[]): StateSummary {
  // `countEach` has a count for each collection.
  const total = ({ name }: Collection) => sandboxes.reduce((sum, counts) => sum + counts[name as keyof RecordCounts], 0)
  return { sandboxes: sandboxes.length, ...countEach(total) }
}
