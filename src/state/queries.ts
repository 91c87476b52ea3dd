import { inSlices } from '../core/slices.ts'
import { copyInSlices, uuidKey } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import type { EventTable } from './collections/events.ts'
import { countEach, type RecordCounts } from './collections/index.ts'
import { insertKey } from './events.ts'
import type { EventDraft, StoredEvent } from './records.ts'
import type { EventPage, EventQuery, SandboxSummary, StateSummary } from './store.ts'

/**
 * Reads a page of the events that match, and counts all that match, in slices between which others are answered. It
 * holds no more texts than twice those up to the end of the page.
 */
export async function listEvents(events: EventTable, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, order = 'oldest' } = query
  const end = offset + limit
  const matches = createTest(query)
  const texts: string[] = []
  let total = 0
  for await (const text of inSlices(events.list())) {
    if (matches?.(JSON.parse(text)) === false) continue
    total += 1
    if (order === 'newest' || total <= end) texts.push(text)
    if (texts.length > 2 * end) texts.splice(0, texts.length - end)
  }
  if (order === 'newest') texts.reverse()
  return { events: await copyInSlices<StoredEvent>(texts.slice(offset, end)), total }
}

/** Returns a test that an event passes if it has all values of the query, or undefined if all events pass. */
export function createTest(pageQuery: EventQuery): ((event: StoredEvent) => boolean) | undefined {
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
