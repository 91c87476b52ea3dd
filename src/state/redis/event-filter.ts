import { uuidKey } from '../clone.ts'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'
import type { EventQuery } from '../store.ts'

/** The members of a query that choose a page, not events. */
const PAGE = new Set(['order', 'offset', 'limit'])

/** Returns a test that an event matches a query. Undefined: all events match. */
export function createEventFilter(query: EventQuery): ((event: StoredEvent) => boolean) | undefined {
  const wanted = Object.entries(query).filter(([name, value]) => !PAGE.has(name) && value !== undefined)
  if (wanted.length === 0) return undefined
  const { eventType, externalConversationId, sampledOut, insertId, eventId, conversation } = query
  const exact: readonly [unknown, (event: StoredEvent) => unknown][] = [
    [eventType, ({ fields }) => fields.eventType],
    [externalConversationId, ({ fields }) => fields.externalConversationId],
    [sampledOut, (event) => event.sampledOut],
    [insertId, ({ fields }) => insertKey(fields)],
    [eventId?.toLowerCase(), (event) => event.eventId.toLowerCase()],
    [uuidKey(query.productId) ?? undefined, ({ fields }) => uuidKey(fields.productId)],
    [uuidKey(query.conversationId) ?? undefined, ({ fields }) => uuidKey(fields.conversationId)],
  ]
  const tests = exact.filter(([value]) => value !== undefined)
  return (event) => tests.every(([value, read]) => read(event) === value) && belongsTo(event, conversation)
}

/**
 * Returns true if an event belongs to a conversation, which its caller's id names only where the event has no other.
 */
function belongsTo({ fields }: StoredEvent, conversation: string | undefined): boolean {
  if (conversation === undefined) return true
  const key = uuidKey(fields.conversationId)
  return key === null ? fields.externalConversationId === conversation : key === conversation.toLowerCase()
}
