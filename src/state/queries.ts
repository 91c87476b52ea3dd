import { SlicedWork } from '../base/core/slices.ts'
import type { Collection } from './collections/collection.ts'
import { insertKey } from './collections/events.ts'
import { countEach, type RecordCounts } from './collections/index.ts'
import { type EventDraft, type StoredEvent, uuidKey } from './records.ts'
import type { EventPage, EventQuery, SandboxSummary, StateSummary } from './store.ts'

/** Returns a page of matching events, and the number of matches. Without filters, parses only the page's events. */
export async function listEvents(texts: readonly string[], query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.MAX_SAFE_INTEGER, order = 'oldest' } = query
  const matches = createFilter(query)
  const positions = matches && (await findPositions(texts, matches))
  const total = positions?.length ?? texts.length
  function* readPage(): Generator<StoredEvent> {
    for (let index = offset; index < Math.min(offset + limit, total); index += 1) {
      const match = order === 'newest' ? total - 1 - index : index
      yield JSON.parse(texts[positions?.[match] ?? match] as string) // always within the list
    }
  }
  return { events: readPage(), total }
}

async function findPositions(texts: readonly string[], matches: (event: StoredEvent) => boolean): Promise<number[]> {
  const positions: number[] = []
  const work = new SlicedWork()
  for (const [position, text] of texts.entries()) {
    if (matches(JSON.parse(text))) positions.push(position)
    if (work.isPauseDue) await work.pause()
  }
  return positions
}

/** Returns a predicate for events that match all filters in the query, or undefined if the query has no filters. */
export function createFilter(query: EventQuery): ((event: StoredEvent) => boolean) | undefined {
  const { offset, limit, order, ...filters } = query
  if (Object.values(filters).every((value) => value === undefined)) return undefined
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const [product, conversationId, eventId] = [query.productId, query.conversationId, query.eventId].map(uuidKey)
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

/** Returns true if `conversation` is the event's `conversationId` or, without one, its `externalConversationId`. */
function belongsTo({ conversationId, externalConversationId }: EventDraft, conversation: string): boolean {
  const key = uuidKey(conversationId)
  return key === null ? externalConversationId === conversation : key === conversation.toLowerCase()
}

export function addUpRecords(sandboxes: readonly SandboxSummary[]): StateSummary {
  // Each collection's name is a key of `RecordCounts`.
  const total = ({ name }: Collection) => sandboxes.reduce((sum, counts) => sum + counts[name as keyof RecordCounts], 0)
  return { sandboxes: sandboxes.length, ...countEach(total) }
}
