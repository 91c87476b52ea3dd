import { parseInstant } from '../../base/core/instant.ts'
import type { Violation } from '../../base/core/json.ts'
import { cutText } from '../../base/core/text.ts'
import type { EventDraft } from '../../state/records.ts'
import { jsonBody } from '../exchange/reply.ts'
import { bodyOf, findEmptyIds, type OperationDefinition, type ValidBody } from './handler.ts'

/** An event that conforms to the contract's schema: an `EventDraft` before defaults are filled in. */
type EventBody = Partial<EventDraft> & Pick<EventDraft, 'eventType' | 'productId' | 'value'>

/** POST /events (docs/development/service.md, 5): records a business event once per `insertId`. */
export const createEvent: OperationDefinition = {
  operationId: 'createEvent',
  readsBody: true,
  samples: () => [{ success: true, eventId: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d' }],
  warnings(request) {
    const { eventType, value, valueType = 'text' } = eventOf(request)
    const empty = findEmptyIds(request, ['insertId', 'externalConversationId'])
    // `String` is needed because an edited contract can allow numbers.
    return [...typeWarnings(String(eventType)), ...valueWarnings(String(value), valueType), ...empty]
  },
  recommendations(request) {
    const { conversationId, externalConversationId } = eventOf(request)
    return conversationId === undefined && externalConversationId === undefined ? [unlinkedEvent] : []
  },
  createHandle:
    ({ store }) =>
    async (context) => {
      const sent = withDefaults(eventOf(context))
      const draft = context.isSampledOut ? { ...sent, sampleRate: 0, forceSample: false } : sent
      const { event, payloadDiffers } = await store.recordEvent(context, draft)
      if (event.sampledOut) context.markDropped()
      if (payloadDiffers) context.warn(differentPayload)
      return jsonBody({ success: true, eventId: event.eventId })
    },
}

const eventOf = (request: ValidBody) => bodyOf(request) as unknown as EventBody // validated against the schema

/** Linking an event to a conversation is recommended, not required (docs/development/service.md, 5.2). */
const unlinkedEvent: Violation = {
  in: 'body',
  pointer: '',
  keyword: 'link',
  message: 'is not linked to a conversation; if it belongs to one, send conversationId or externalConversationId',
}

const differentPayload: Violation = {
  in: 'body',
  pointer: '/insertId',
  keyword: 'idempotency',
  message: 'was already used for an event with a different payload; the first event is kept',
}

const withoutId = ({ insertId: _, ...others }: EventBody): EventBody => others

/**
 * Fills in the defaults, normalizes `eventAt`, and drops an empty `insertId`. A missing `eventAt` is left to the store,
 * so that a retry has the same payload as the first request.
 */
function withDefaults(event: EventBody): EventDraft {
  const body = event.insertId === '' ? withoutId(event) : event
  const valueType = body.valueType ?? 'text'
  const influence = body.influence ?? 'neutral'
  const at = parseInstant(String(body.eventAt ?? ''))
  if (at !== undefined) return { ...body, valueType, influence, eventAt: new Date(at).toISOString() }
  const { eventAt, ...untimed } = body
  return { ...untimed, valueType, influence }
}

/** Warns about a blank `eventType`. Such an event is accepted, but its type does not say what happened. */
function typeWarnings(eventType: string): Violation[] {
  if (eventType.trim() !== '') return []
  const message = 'is blank; it should name the event, for example "signup_completed"'
  return [{ in: 'body', pointer: '/eventType', keyword: 'eventType', message }]
}

const number = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

/** The formats of `value` by `valueType`. For `text`, and for types added by an edited contract, any text is valid. */
const valueFormats = new Map([
  ['currency', { pattern: number, expected: 'an amount such as "149.00"' }],
  ['numeric', { pattern: number, expected: 'a number such as "42"' }],
  ['boolean', { pattern: /^(true|false)$/, expected: '"true" or "false"' }],
])

/** Warns about a `value` that cannot be parsed as its `valueType` (docs/development/service.md, 5.1). */
function valueWarnings(value: string, valueType: string): Violation[] {
  const format = valueFormats.get(valueType)
  if (!format || format.pattern.test(value)) return []
  const message = `should be ${format.expected} for the valueType "${valueType}"; got "${cutText(value)}"`
  return [{ in: 'body', pointer: '/value', keyword: 'valueType', message }]
}
