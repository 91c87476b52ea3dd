import { frozen, uuidKey } from './clone.ts'
import type { EventList } from './memory/event-list.ts'
import { promptOfImage } from './memory/sandbox-data.ts'
import type { World } from './memory/state-data.ts'
import { EXPORT_FORMAT, type SandboxExport, type SandboxSummary } from './sandboxes.ts'
import type { EventPage, EventQuery } from './store.ts'

/** The page of those events that match, and how many match in all. */
export async function listEvents(events: EventList, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const matching = places(events, query)
  const page = await events.read(matching.slice(offset, offset + limit))
  return { events: page, total: matching.length }
}

/** Where the events stand that match. */
function places(events: EventList, query: EventQuery): number[] {
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const productKey = uuidKey(query.productId) ?? undefined
  const conversationKey = uuidKey(query.conversationId) ?? undefined
  const found = events.having({ eventType, productKey, conversationKey, externalConversationId, sampledOut })
  if (insertId === undefined) return found
  const named = events.placeOf(insertId)
  return found.filter((place) => place === named)
}

/** What the sandbox holds, as it can be imported again. */
export async function exportOf(world: World, sandbox: string): Promise<SandboxExport> {
  const { quality, events, prompts } = world.realm(sandbox).sandbox.image()
  return {
    format: EXPORT_FORMAT,
    quality: frozen(quality),
    events: await events.read(events.having({})),
    prompts: frozen(prompts.map(promptOfImage)),
  }
}

export function listSandboxes(world: World): readonly SandboxSummary[] {
  return Array.from(world.realms, ([name, { sandbox, snapshots }]) => ({
    name,
    events: sandbox.events.length,
    prompts: sandbox.promptCount,
    snapshots: snapshots.size,
  }))
}

export function sizeOf(world: World): { sandboxes: number; events: number; prompts: number } {
  const all = listSandboxes(world)
  return {
    sandboxes: all.length,
    events: all.reduce((sum, { events }) => sum + events, 0),
    prompts: all.reduce((sum, { prompts }) => sum + prompts, 0),
  }
}
