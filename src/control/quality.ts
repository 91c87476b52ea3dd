import { isObject, type JsonObject } from '../core/json.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { StoredEvent } from '../state/records.ts'
import type { Store } from '../state/store.ts'
import type { ControlHandlers } from './handler.ts'

/** Dependencies of `qualityHandlers`. */
export interface QualityDeps {
  readonly store: Store
  readonly fixtures: Fixtures
  readonly sandboxes: Sandboxes
}

/** An index without events; each event's impact times the weight moves it from there. */
const neutral = 0.5

/** Ids that are shown with an index; there can be many more. */
const mostShown = 100

/** `GET/PUT quality`: the weight of events, and what they made of products (PQI) and conversations (CQI). */
export function qualityHandlers({
  store,
  fixtures,
  sandboxes,
}: QualityDeps): Pick<ControlHandlers, 'getQuality' | 'putQuality'> {
  const names = new Map(fixtures.products.map(({ id, name }) => [id.toLowerCase(), name]))

  async function shown(sandbox: string): Promise<JsonObject> {
    const { weight } = await store.getQuality(sandbox)
    const { events } = await store.listEvents(sandbox, { sampledOut: false })
    const products = groupBy(events, ({ fields }) => idOf(fields.productId))
    const conversations = groupBy(events, conversationOf)
    return {
      weight,
      products: [...products].map(([productId, own]) => {
        const name = names.get(productId)
        return { productId, ...(name !== undefined && { name }), ...indexed('pqi', own, weight) }
      }),
      conversations: [...conversations].map(([conversation, own]) => ({
        conversation,
        ...indexed('cqi', own, weight),
      })),
    }
  }

  return {
    getQuality: ({ sandbox }) => shown(sandbox),
    async putQuality({ sandbox, body }) {
      sandboxes.use(sandbox)
      const weight = isObject(body) ? Number(body['weight']) : 0
      await store.putQuality(sandbox, { weight })
      return shown(sandbox)
    },
  }
}

/** The service's id of the conversation, else the caller's; undefined for an event that is linked to none. */
function conversationOf({ fields }: StoredEvent): string | undefined {
  const { conversationId, externalConversationId } = fields
  return idOf(conversationId) ?? externalConversationId ?? undefined
}

/** A UUID as it is compared; undefined for what an edited contract may let in besides. */
function idOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent.toLowerCase() : undefined
}

/** `min(1, max(0, 0.5 + weight × Σ impact))`, to 4 decimals, with the events that made it. */
function indexed(name: 'pqi' | 'cqi', events: readonly StoredEvent[], weight: number): JsonObject {
  const impact = events.reduce((sum, event) => sum + event.impact, 0)
  const index = Math.min(1, Math.max(0, neutral + weight * impact))
  return {
    [name]: Math.round(index * 10_000) / 10_000,
    impact: Math.round(impact * 1e9) / 1e9,
    events: events.length,
    eventIds: events.slice(0, mostShown).map(({ eventId }) => eventId),
  }
}

function groupBy(events: readonly StoredEvent[], keyOf: (event: StoredEvent) => string | undefined) {
  const groups = new Map<string, StoredEvent[]>()
  for (const event of events) {
    const key = keyOf(event)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  return groups
}
