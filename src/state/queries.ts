import { uuidKey } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import { countEach, type RecordCounts } from './collections/index.ts'
import type { EventList } from './memory/event-list.ts'
import type { IndexedEvent } from './memory/indexed-event.ts'
import type { SandboxEntry, StateData } from './memory/state-data.ts'
import { EXPORT_FORMAT } from './records.ts'
import type { EventPage, EventQuery, SandboxExport, SandboxSummary, StateSummary } from './store.ts'

/** Reads a page of the events that match, and counts all that match. */
export async function listEvents(events: EventList, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, order = 'oldest' } = query
  const matching = await findPositions(events, query)
  const total = matching.length
  if (order === 'oldest') return { events: await events.read(matching.slice(offset, offset + limit)), total }
  const end = Math.max(0, total - offset)
  const page = await events.read(matching.slice(Math.max(0, end - limit), end)) // it reads in ascending order
  return { events: page.reverse(), total }
}

async function findPositions(events: EventList, query: EventQuery): Promise<number[]> {
  const { eventType, externalConversationId, sampledOut, insertId, eventId } = query
  const productKey = uuidKey(query.productId) ?? undefined
  const conversationKey = uuidKey(query.conversationId) ?? undefined
  const criteria = { eventType, productKey, conversationKey, externalConversationId, sampledOut }
  const found = events.findPositions(criteria, belongsTo(query.conversation))
  const wanted = [
    ...(insertId === undefined ? [] : [events.positionOf(insertId)]),
    ...(eventId === undefined ? [] : [await events.findEventId(eventId.toLowerCase())]),
  ]
  return wanted.length === 0 ? found : found.filter((position) => wanted.every((one) => one === position))
}

/** Returns a test that an event belongs to a conversation, which its caller's id names only where the event has no other. Undefined: all pass. */
function belongsTo(conversation: string | undefined): ((indexed: IndexedEvent) => boolean) | undefined {
  if (conversation === undefined) return undefined
  const key = conversation.toLowerCase()
  return ({ conversationKey, externalConversationId }) =>
    conversationKey === null ? externalConversationId === conversation : conversationKey === key
}

/** Exports the data of a sandbox in the form that `importSandbox` accepts. */
export async function exportSandbox(state: StateData, sandbox: string): Promise<SandboxExport> {
  return { format: EXPORT_FORMAT, ...(await state.sandbox(sandbox).data.read()) }
}

/** Lists all sandboxes that hold data, in the order of their first write. */
export function listSandboxes(state: StateData): readonly SandboxSummary[] {
  return Array.from(state.sandboxes, ([name, entry]) => summarizeSandbox(name, entry))
}

export function summarizeSandbox(name: string, { data, snapshots }: SandboxEntry): SandboxSummary {
  return { name, ...data.count(), snapshots: snapshots.size }
}

/** Adds up the records of all sandboxes. */
export function addUpRecords(sandboxes: readonly SandboxSummary[]): StateSummary {
  const total = ({ name }: Collection) =>
    sandboxes.reduce((sum, counts) => sum + counts[name as keyof RecordCounts], 0) // by `countEach`
  return { sandboxes: sandboxes.length, ...countEach(total) }
}
