import { isObject, type JsonObject } from '../../base/core/json.ts'
import { inSlices, mapEach } from '../../base/core/slices.ts'
import { impactSumOf, UNITS_PER_IMPACT } from '../../state/collections/events.ts'
import { type StoredEvent, uuidKey } from '../../state/records.ts'
import type { HandlerGroup } from './handler.ts'

const neutralIndex = 0.5

const maxEventIds = 100

interface EventGroup {
  units: number
  count: number
  readonly eventIds: string[]
}

export const qualityHandlers: HandlerGroup = ({ store, sandboxes, served }) => {
  async function computeQuality(sandbox: string): Promise<object> {
    const productNames = new Map(served().fixtures.products.map(({ id, name }) => [id.toLowerCase(), name]))
    const { weight } = await store.getQuality(sandbox)
    const { events } = await store.listEvents(sandbox)
    const [byProduct, byConversation] = [new Map<string, EventGroup>(), new Map<string, EventGroup>()]
    for await (const event of inSlices(events)) {
      if (event.sampledOut) continue
      const { productId, conversationId, externalConversationId } = event.fields
      addToGroup(byProduct, uuidKey(productId), event)
      addToGroup(byConversation, uuidKey(conversationId) ?? externalConversationId, event)
    }
    const products = mapEach(byProduct, ([productId, group]) => {
      return { productId, name: productNames.get(productId), ...indexToJson('pqi', group, weight) }
    })
    const conversations = mapEach(byConversation, ([conversation, group]) => {
      return { conversation, ...indexToJson('cqi', group, weight) }
    })
    return { weight, products, conversations }
  }

  return {
    getQuality: ({ sandbox }) => computeQuality(sandbox),
    async putQuality({ sandbox, body }) {
      sandboxes.use(sandbox)
      const weight = isObject(body) ? Number(body['weight']) : 0
      await store.putQuality(sandbox, { weight })
      return computeQuality(sandbox)
    },
  }
}

/** Returns a group as JSON. Its index is `min(1, max(0, 0.5 + weight × Σ impact))`, rounded to 4 decimal places. */
function indexToJson(name: 'pqi' | 'cqi', { units, count, eventIds }: EventGroup, weight: number): JsonObject {
  const impact = units / UNITS_PER_IMPACT
  const index = Math.min(1, Math.max(0, neutralIndex + weight * impact))
  return { [name]: Math.round(index * 10_000) / 10_000, impact, events: count, eventIds }
}

function addToGroup(groups: Map<string, EventGroup>, key: string | null | undefined, event: StoredEvent): void {
  if (typeof key !== 'string') return
  const group = groups.get(key) ?? { units: 0, count: 0, eventIds: [] }
  groups.set(key, group)
  group.units += impactSumOf(event).units
  group.count += 1
  if (group.count <= maxEventIds) group.eventIds.push(event.eventId)
}
