import { deepFreeze, uuidKey } from './clone.ts'
import type { EventList } from './memory/event-list.ts'
import { promptFromSnapshot } from './memory/sandbox-data.ts'
import type { StateData } from './memory/state-data.ts'
import { EXPORT_FORMAT, type SandboxExport } from './records.ts'
import type { EventPage, EventQuery, SandboxSummary } from './store.ts'

/** The page of those events that match, and how many match in all. */
export async function listEvents(events: EventList, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const matching = findPositions(events, query)
  const page = await events.read(matching.slice(offset, offset + limit))
  return { events: page, total: matching.length }
}

/** Where the events stand that match. */
function findPositions(events: EventList, query: EventQuery): number[] {
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const productKey = uuidKey(query.productId) ?? undefined
  const conversationKey = uuidKey(query.conversationId) ?? undefined
  const found = events.findPositions({
    eventType,
    productKey,
    conversationKey,
    externalConversationId,
    sampledOut,
  })
  if (insertId === undefined) return found
  const named = events.positionOf(insertId)
  return found.filter((place) => place === named)
}

/** What the sandbox holds, as it can be imported again. */
export async function exportSandbox(world: StateData, sandbox: string): Promise<SandboxExport> {
  const { quality, events, prompts } = world.sandbox(sandbox).data.snapshot()
  return {
    format: EXPORT_FORMAT,
    quality: deepFreeze(quality),
    events: await events.read(events.findPositions({})),
    prompts: deepFreeze(prompts.map(promptFromSnapshot)),
  }
}

export function listSandboxes(world: StateData): readonly SandboxSummary[] {
  return Array.from(world.sandboxes, ([name, { data, snapshots }]) => ({
    name,
    events: data.events.length,
    prompts: data.promptCount,
    snapshots: snapshots.size,
  }))
}

export function countRecords(world: StateData): { sandboxes: number; events: number; prompts: number } {
  const all = listSandboxes(world)
  return {
    sandboxes: all.length,
    events: all.reduce((sum, { events }) => sum + events, 0),
    prompts: all.reduce((sum, { prompts }) => sum + prompts, 0),
  }
}
