import { SlicedWork } from '../core/slices.ts'
import { copyInSlices, uuidKey } from './clone.ts'
import type { Collection } from './collections/collection.ts'
import { collections, countEach, type RecordCounts, type SandboxContent } from './collections/index.ts'
import { insertKey } from './events.ts'
import type { EventTable } from './memory/event-table.ts'
import type { SandboxData, StateData } from './memory/state-data.ts'
import { type EventDraft, EXPORT_FORMAT, type StoredEvent } from './records.ts'
import type { EventPage, EventQuery, SandboxExport, SandboxSummary, StateSummary } from './store.ts'

/** Reads a page of the events that match, and counts all that match, in slices between which others are answered. */
export async function listEvents(events: EventTable, query: EventQuery): Promise<EventPage> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, order = 'oldest' } = query
  const matches = createTest(query)
  const page = new Page(offset, limit, order === 'newest')
  const work = new SlicedWork()
  for (const text of events.list()) {
    if (matches === undefined || matches(JSON.parse(text))) page.add(text)
    if (work.isDue) await work.rest()
  }
  return { events: await copyInSlices<StoredEvent>(page.list()), total: page.total }
}

/** A page of texts that are added from the oldest to the newest. It holds no more texts than twice those up to its end. */
class Page {
  readonly #offset: number
  readonly #end: number
  readonly #isNewestFirst: boolean
  readonly #texts: string[] = []
  /** The number of all texts that were added. */
  total = 0

  constructor(offset: number, limit: number, isNewestFirst: boolean) {
    this.#offset = offset
    this.#end = offset + limit
    this.#isNewestFirst = isNewestFirst
  }

  add(text: string): void {
    this.total += 1
    const isInPage = this.total > this.#offset && this.total <= this.#end
    if (isInPage || this.#isNewestFirst) this.#texts.push(text)
    if (this.#texts.length > 2 * this.#end) this.#texts.splice(0, this.#texts.length - this.#end)
  }

  list(): readonly string[] {
    return this.#isNewestFirst ? this.#texts.toReversed().slice(this.#offset, this.#end) : this.#texts
  }
}

/** Returns a test that an event passes if it has all values of the query, or undefined if all events pass. */
export function createTest({
  offset,
  limit,
  order,
  ...query
}: EventQuery): ((event: StoredEvent) => boolean) | undefined {
  if (Object.values(query).every((value) => value === undefined)) return undefined
  const { eventType, externalConversationId, sampledOut, insertId } = query
  const [product, conversationId] = [uuidKey(query.productId), uuidKey(query.conversationId)]
  const eventId = uuidKey(query.eventId)
  return ({ fields, ...event }) =>
    (eventType === undefined || fields.eventType === eventType) &&
    (externalConversationId === undefined || fields.externalConversationId === externalConversationId) &&
    (sampledOut === undefined || event.sampledOut === sampledOut) &&
    (insertId === undefined || insertKey(fields) === insertId) &&
    (eventId === null || uuidKey(event.eventId) === eventId) &&
    (product === null || uuidKey(fields.productId) === product) &&
    (conversationId === null || uuidKey(fields.conversationId) === conversationId) &&
    (query.conversation === undefined || belongsTo(fields, query.conversation))
}

/** Returns true if an event belongs to a conversation, which its caller's id names only where the event has no other. */
function belongsTo({ conversationId, externalConversationId }: EventDraft, conversation: string): boolean {
  const key = uuidKey(conversationId)
  return key === null ? externalConversationId === conversation : key === conversation.toLowerCase()
}

/** Exports the data of a sandbox in the form that `importSandbox` accepts. */
export function exportSandbox(state: StateData, sandbox: string): Promise<SandboxExport> {
  return readContent(state.sandbox(sandbox).data.copy())
}

async function readContent(data: SandboxData): Promise<SandboxExport> {
  const lists = new Map<string, readonly object[]>()
  for (const collection of collections)
    lists.set(collection.name, await copyInSlices(data.table(collection).list()))
  const content = { quality: data.quality, ...Object.fromEntries(lists) } as SandboxContent // a list for each collection
  return { format: EXPORT_FORMAT, ...content }
}

/** Lists all sandboxes that hold data, in the order of their first write. */
export function listSandboxes(state: StateData): readonly SandboxSummary[] {
  return Array.from(state.sandboxes, ([name, { data, snapshots }]) => ({
    name,
    ...data.count(),
    snapshots: snapshots.size,
  }))
}

/** Adds up the records of all sandboxes. */
export function addUpRecords(sandboxes: readonly SandboxSummary[]): StateSummary {
  const total = ({ name }: Collection) =>
    sandboxes.reduce((sum, counts) => sum + counts[name as keyof RecordCounts], 0) // by `countEach`
  return { sandboxes: sandboxes.length, ...countEach(total) }
}
