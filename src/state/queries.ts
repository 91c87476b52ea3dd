import { deepFreeze, uuidKey } from './clone.ts'
import type { EventList } from './memory/event-list.ts'
import { promptFromSnapshot } from './memory/sandbox-data.ts'
import type { StateData } from './memory/state-data.ts'
import { EXPORT_FORMAT, type SandboxExport } from './records.ts'
import type { EventPage, EventQuery, SandboxSummary } from './store.ts'

/** Reads a page of the events that match, and counts all that match. */
export async function listEvents(events: EventList, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const matching = findPositions(events, query)
  const page = await events.read(matching.slice(offset, offset + limit))
  return { events: page, total: matching.length }
}

function findPositions(events: EventList, query: EventQuery): number[] {
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const productKey = uuidKey(query.productId) ?? undefined
  const conversationKey = uuidKey(query.conversationId) ?? undefined
  const criteria = { eventType, productKey, conversationKey, externalConversationId, sampledOut }
  const found = events.findPositions(criteria)
  if (insertId === undefined) return found
  const inserted = events.positionOf(insertId)
  return found.filter((position) => position === inserted)
}

/** Exports the data of a sandbox in the form that `importSandbox` accepts. */
export async function exportSandbox(state: StateData, sandbox: string): Promise<SandboxExport> {
  const { quality, events, prompts } = state.sandbox(sandbox).data.snapshot()
  return {
    format: EXPORT_FORMAT,
    quality: deepFreeze(quality),
    events: await events.read(events.findPositions({})),
    prompts: deepFreeze(prompts.map(promptFromSnapshot)),
  }
}

/** Lists all sandboxes that hold data, in the order of their first write. */
export function listSandboxes(state: StateData): readonly SandboxSummary[] {
  return Array.from(state.sandboxes, ([name, { data, snapshots }]) => ({
    name,
    events: data.events.length,
    prompts: data.promptCount,
    snapshots: snapshots.size,
  }))
}

/** Counts the records of all sandboxes. */
export function countRecords(state: StateData): { sandboxes: number; events: number; prompts: number } {
  const all = listSandboxes(state)
  return {
    sandboxes: all.length,
    events: all.reduce((sum, { events }) => sum + events, 0),
    prompts: all.reduce((sum, { prompts }) => sum + prompts, 0),
  }
}
