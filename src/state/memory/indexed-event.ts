import { LruCache } from '../../core/lru-cache.ts'
import { uuidKey } from '../clone.ts'
import { insertKey } from '../events.ts'
import type { StoredEvent } from '../records.ts'

/** The values of an event that are needed without reading the whole event. */
export interface IndexedEvent {
  /** Undefined: the event has none. */
  readonly insertId: string | undefined
  /** The id of the first event with the same payload. Undefined: the event has an `insertId`. */
  readonly firstEventId: string | undefined
  readonly eventType: unknown
  readonly productKey: string | null
  readonly conversationKey: string | null
  readonly externalConversationId: unknown
  /** UTC: `2026-01-15`. */
  readonly day: string
  readonly impact: number
  readonly sampledOut: boolean
}

/** The strings that many indexed events share. */
const shared = new LruCache<unknown>(1000)

/** Returns the shared copy of a string that many events have, since each parsed event has a copy of its own. */
function share<T>(value: T): T {
  return typeof value === 'string' ? (shared.get(value, () => value) as T) : value // the cached value equals `value`
}

/** Returns the values of an event that the index holds. */
export function toIndexed({ fields, eventId, repeatOf, impact, sampledOut }: StoredEvent): IndexedEvent {
  const insertId = insertKey(fields)
  return {
    insertId,
    firstEventId: insertId === undefined ? (repeatOf ?? eventId) : undefined,
    eventType: share(fields.eventType),
    productKey: share(uuidKey(fields.productId)),
    conversationKey: uuidKey(fields.conversationId),
    externalConversationId: fields.externalConversationId,
    day: share(fields.eventAt.slice(0, fields.eventAt.indexOf('T'))),
    impact,
    sampledOut,
  }
}
