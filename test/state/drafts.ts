import { type Result, success } from '../../src/base/core/result.ts'
import { collections, countRecords, type RecordCounts } from '../../src/state/collections/index.ts'
import type { EventDraft, ImpactQuery, PromptDraft, WriteContext } from '../../src/state/records.ts'
import { parseExport } from '../../src/state/sandbox-export.ts'
import type { EventQuery, Records, SandboxExport, Store } from '../../src/state/store.ts'

/** The time at which tests write, in epoch milliseconds. */
export const noon = Date.parse('2026-01-15T12:00:00Z')

/** The context of a write to the default sandbox at noon. */
export const context: WriteContext = { sandbox: 'default', seed: '1', now: noon }

/** The product ID of an event draft, unless the test specifies another. */
export const productId = '6f1c1e0a-2b7d-4c55-9a35-0d6f2f0a9a01'

export const impactQuery: ImpactQuery = { productIds: [productId], from: '2025-01-01', to: '2026-12-31' }

/** Returns a valid event draft, with the given fields replaced or added. */
export function event(fields: Partial<EventDraft> = {}): EventDraft {
  return {
    eventType: 'upgrade_purchased',
    productId,
    value: '149.00',
    valueType: 'currency',
    influence: 'positive',
    ...fields,
  }
}

/** Returns a valid prompt draft, with the given fields replaced or added. */
export function prompt(fields: Partial<PromptDraft> = {}): PromptDraft {
  return { name: 'Greeting', components: [{ content: 'Hello {{name}}' }], ...fields }
}

/** Records events with these insertIds. All writes start in the same turn of the event loop. */
export async function recordAll(store: Store, insertIds: readonly string[]): Promise<void> {
  await Promise.all(insertIds.map((insertId) => store.recordEvent(context, event({ insertId }))))
}

/** Returns the insertIds of the events in the default sandbox, in the order in which they were stored. */
export async function listInsertIds(store: Store): Promise<(string | undefined)[]> {
  return (await listEvents(store, 'default')).events.map(({ fields }) => fields.insertId)
}

async function collect<Item>(records: Records<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of records) items.push(item)
  return items
}

export async function listEvents(store: Store, sandbox: string, query?: EventQuery) {
  const { events, total } = await store.listEvents(sandbox, query)
  return { events: await collect(events), total }
}

export const listPrompts = async (store: Store, sandbox: string) => collect(await store.listPrompts(sandbox))

export async function exportSandbox(store: Store, sandbox: string): Promise<SandboxExport> {
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(await store.exportSandbox(sandbox)))
    members[name] = collections.some((one) => one.name === name) ? await collect(member as Records<object>) : member
  return members as unknown as SandboxExport // each collection was read into an array
}

/** Imports a document as the control plane does. Returns the number of records of each kind, or the problems. */
export async function importDocument(
  store: Store,
  sandbox: string,
  document: unknown,
): Promise<Result<RecordCounts, readonly string[]>> {
  const parsed = await parseExport(document)
  if (!parsed.ok) return parsed
  await store.importSandbox(sandbox, parsed.value, 'always')
  return success(countRecords(parsed.value))
}
