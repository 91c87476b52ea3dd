import { uuidKey } from './copy.ts'
import { insertKey } from './events.ts'
import type { StoredEvent } from './store.ts'

/** What is looked at of every event without reading it. */
export interface EventMark {
  /** What the caller named it by. */
  readonly insertKey: string | undefined
  /** Where the caller gave it no name: the id of the first event with exactly this payload. */
  readonly first: string | undefined
  readonly eventType: unknown
  readonly productKey: string | null
  readonly conversationKey: string | null
  readonly externalConversationId: unknown
  /** UTC: `2026-01-15`. */
  readonly day: string
  readonly impact: number
  readonly sampledOut: boolean
  /** How often it had been sent again when it was put into its list. */
  readonly replays: number
}

/** As many texts are shared among marks before the sharing begins anew. */
const MOST_SHARED = 10_000

/** Makes the marks of one list. Equal texts in them are one text, since most events have most of theirs in common. */
export class Marker {
  readonly #texts = new Map<string, string>()

  mark(event: StoredEvent): EventMark {
    const { fields } = event
    const key = insertKey(fields)
    return {
      insertKey: key,
      first: key === undefined ? (event.repeatOf ?? event.eventId) : undefined,
      eventType: this.#shared(fields.eventType),
      productKey: this.#shared(uuidKey(fields.productId)),
      conversationKey: this.#shared(uuidKey(fields.conversationId)),
      externalConversationId: this.#shared(fields.externalConversationId),
      day: this.#shared(dayOf(event)),
      impact: event.impact,
      sampledOut: event.sampledOut,
      replays: event.replays,
    }
  }

  #shared<T>(value: T): T {
    if (typeof value !== 'string') return value
    const known = this.#texts.get(value)
    if (known !== undefined) return known as T & string // equal to the value, so of its type
    if (this.#texts.size >= MOST_SHARED) this.#texts.clear()
    this.#texts.set(value, value)
    return value
  }
}

/** `2026-01-15` of `2026-01-15T12:00:00.000Z`. */
function dayOf(event: StoredEvent): string {
  return event.fields.eventAt.slice(0, event.fields.eventAt.indexOf('T'))
}
