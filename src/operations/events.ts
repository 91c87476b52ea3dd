import { parseInstant } from '../core/instant.ts'
import type { Violation } from '../documents/violation.ts'
import { bodyOf, type Exchange, writeContextOf } from '../exchange/exchange.ts'
import type { EventDraft } from '../state/records.ts'
import type { Store } from '../state/store.ts'
import type { Handler } from './handler.ts'

/** An event as the contract's schema lets it in: what `EventDraft` has, without the defaults. */
type EventBody = Partial<EventDraft> & Pick<EventDraft, 'eventType' | 'productId' | 'value'>

/** POST /events (service.md, "Event"): one business event, recorded once per `insertId`. */
export function createEvent(store: Store): Handler {
  return {
    operationId: 'createEvent',
    metered: false,
    warnings: (exchange) => valueAdvice(eventOf(exchange)),
    recommendations: (exchange) => (isLinked(eventOf(exchange)) ? [] : [unlinked]),
    async handle(exchange) {
      const receipt = await store.recordEvent(writeContextOf(exchange), withDefaults(eventOf(exchange)))
      if (receipt.payloadDiffers) exchange.advice = [...exchange.advice, differentPayload]
      return { body: { success: true, eventId: receipt.event.eventId } }
    },
  }
}

const eventOf = (exchange: Exchange) => bodyOf(exchange) as unknown as EventBody // proved by the contract's schema

const isLinked = ({ conversationId, externalConversationId }: EventBody) =>
  conversationId !== undefined || externalConversationId !== undefined

/** service.md, "POST /events": linking is recommended, and nothing more. */
const unlinked: Violation = {
  in: 'body',
  pointer: '',
  keyword: 'link',
  message:
    'is linked to no conversation; send conversationId or externalConversationId where the event belongs to one',
}

const differentPayload: Violation = {
  in: 'body',
  pointer: '/insertId',
  keyword: 'idempotency',
  message: 'payload differs from the first event of this insertId; the first one stands',
}

/** Without `eventAt` the time of receipt holds; that is the store's to fill in, since it makes no other payload of a retry. */
function withDefaults(body: EventBody): EventDraft {
  const valueType = body.valueType ?? 'text'
  const influence = body.influence ?? 'neutral'
  const at = parseInstant(String(body.eventAt ?? ''))
  if (at !== undefined) return { ...body, valueType, influence, eventAt: new Date(at).toISOString() }
  const { eventAt, ...untimed } = body
  return { ...untimed, valueType, influence }
}

interface Reading {
  test(value: string): boolean
  readonly wanted: string
}

/** By `valueType`. Any text will do for `text`, and for what an edited contract adds. */
const readings: ReadonlyMap<string, Reading> = new Map([
  ['currency', { test: isNumber, wanted: 'an amount such as "149.00"' }],
  ['numeric', { test: isNumber, wanted: 'a number such as "42"' }],
  ['boolean', { test: (value) => ['true', 'false'].includes(value), wanted: '"true" or "false"' }],
])

/** `value` is a string for every `valueType`; one that cannot be read as its type is probably a mistake. */
function valueAdvice({ value, valueType = 'text' }: EventBody): readonly Violation[] {
  const reading = readings.get(valueType)
  const sent = String(value) // the contract can be edited to take numbers as well
  if (!reading || reading.test(sent)) return []
  const message = `should be ${reading.wanted} for the valueType "${valueType}"; got "${sent.slice(0, 80)}"`
  return [{ in: 'body', pointer: '/value', keyword: 'valueType', message }]
}

function isNumber(value: string): boolean {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)
}
