import { isObject, type JsonObject } from '../core/json.ts'
import { inSlices } from '../core/slices.ts'
import { uuidKey } from '../state/clone.ts'
import { impactOfEvent, UNITS_PER_IMPACT } from '../state/memory/impact.ts'
import type { StoredEvent } from '../state/records.ts'
import type { ControlDeps } from './deps.ts'
import type { ControlHandlers } from './handler.ts'

/** Index of a product or conversation without events. */
const neutralIndex = 0.5

/** The largest number of event ids that are listed with an index; the index counts all events. */
const maxEventIds = 100

interface EventGroup {
  /** The sum of their impacts as `ImpactSum` has it. */
  units: number
  count: number
  /** The ids of the first events. */
  readonly eventIds: string[]
}

/** Handles `GET` and `PUT quality`: weight of events, quality index of each product (PQI) and conversation (CQI). */
export function qualityHandlers({ store, fixtures, sandboxes }: ControlDeps) {
  async function qualityToJson(sandbox: string): Promise<JsonObject> {
    const productNames = new Map(fixtures.products.map(({ id, name }) => [id.toLowerCase(), name]))
    const { weight } = await store.getQuality(sandbox)
    const { events } = await store.listEvents(sandbox, { sampledOut: false })
    const products = await groupEvents(events, ({ fields }) => uuidKey(fields.productId))
    const conversations = await groupEvents(events, findConversationKey)
    return {
      weight,
      products: Array.from(products, ([productId, group]) => {
        const name = productNames.get(productId)
        return { productId, ...(name !== undefined && { name }), ...indexToJson('pqi', group, weight) }
      }),
      conversations: Array.from(conversations, ([conversation, group]) => ({
        conversation,
        ...indexToJson('cqi', group, weight),
      })),
    }
  }

  return {
    getQuality: ({ sandbox }) => qualityToJson(sandbox),
    async putQuality({ sandbox, body }) {
      sandboxes.use(sandbox)
      const weight = isObject(body) ? Number(body['weight']) : 0
      await store.putQuality(sandbox, { weight })
      return qualityToJson(sandbox)
    },
  } satisfies Partial<ControlHandlers>
}

/** Returns the service's id of the conversation, else the client's; none for an event without a conversation. */
function findConversationKey({ fields }: StoredEvent): string | null | undefined {
  const { conversationId, externalConversationId } = fields
  return uuidKey(conversationId) ?? externalConversationId
}

/** Returns the index `min(1, max(0, 0.5 + weight × Σ impact))`, rounded to 4 decimals, with its events. */
function indexToJson(name: 'pqi' | 'cqi', { units, count, eventIds }: EventGroup, weight: number): JsonObject {
  const impact = units / UNITS_PER_IMPACT
  const index = Math.min(1, Math.max(0, neutralIndex + weight * impact))
  return {
    [name]: Math.round(index * 10_000) / 10_000,
    impact,
    events: count,
    eventIds,
  }
}

/** Groups events by their key, in slices between which other requests are answered. */
async function groupEvents(
  events: readonly StoredEvent[],
  keyOf: (event: StoredEvent) => string | null | undefined,
): Promise<Map<string, EventGroup>> {
  const groups = new Map<string, EventGroup>()
  for await (const event of inSlices(events)) {
    const key = keyOf(event)
    if (typeof key !== 'string') continue
    const group = groups.get(key) ?? { units: 0, count: 0, eventIds: [] }
    groups.set(key, group)
    group.units += impactOfEvent(event).units
    group.count += 1
    if (group.count <= maxEventIds) group.eventIds.push(event.eventId)
  }
  return groups
}
