import { frozen, uuidKey } from './copy.ts'
import { promptOfImage, type SandboxImage } from './sandbox.ts'
import { EXPORT_FORMAT, type SandboxExport, type SandboxSummary } from './sandboxes.ts'
import type { EventPage, EventQuery, StoredEvent } from './store.ts'
import type { World } from './world.ts'

/** The page of those events that match, and how many match in all. */
export function listEvents(events: readonly StoredEvent[], query: EventQuery): EventPage {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const matching = events.filter((event) => matches(event, query))
  return frozen({ events: matching.slice(offset, offset + limit), total: matching.length })
}

function matches({ fields, sampledOut }: StoredEvent, query: EventQuery): boolean {
  return (
    (query.eventType === undefined || fields.eventType === query.eventType) &&
    isSameUuid(fields.productId, query.productId) &&
    isSameUuid(fields.conversationId, query.conversationId) &&
    (query.externalConversationId === undefined ||
      fields.externalConversationId === query.externalConversationId) &&
    (query.insertId === undefined || fields.insertId === query.insertId) &&
    (query.sampledOut === undefined || sampledOut === query.sampledOut)
  )
}

function isSameUuid(held: unknown, wanted: string | undefined): boolean {
  return wanted === undefined || uuidKey(held) === uuidKey(wanted)
}

/** What the sandbox holds, as it can be imported again. */
export function exportOf(world: World, sandbox: string): SandboxExport {
  return frozen({ format: EXPORT_FORMAT, ...exportOfImage(world.realm(sandbox).sandbox.image()) })
}

function exportOfImage({ quality, events, prompts }: SandboxImage): Omit<SandboxExport, 'format'> {
  return { quality, events, prompts: prompts.map(promptOfImage) }
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
