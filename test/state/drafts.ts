import { type Result, success } from '../../src/core/result.ts'
import { countRecords, type RecordCounts } from '../../src/state/collections/index.ts'
import type { EventDraft, PromptDraft, WriteContext } from '../../src/state/records.ts'
import { parseExport } from '../../src/state/sandbox-export.ts'
import type { Store } from '../../src/state/store.ts'

/** Epoch milliseconds. */
export const noon = Date.parse('2026-01-15T12:00:00Z')

/** The context of a write to the default sandbox at noon. */
export const context: WriteContext = { sandbox: 'default', seed: '1', now: noon }

/** The product of all drafted events. */
export const product = '6f1c1e0a-2b7d-4c55-9a35-0d6f2f0a9a01'

/** Drafts a valid event with the given fields. */
export function event(fields: Partial<EventDraft> = {}): EventDraft {
  return {
    eventType: 'upgrade_purchased',
    productId: product,
    value: '149.00',
    valueType: 'currency',
    influence: 'positive',
    ...fields,
  }
}

/** Drafts a valid prompt with the given fields. */
export function prompt(fields: Partial<PromptDraft> = {}): PromptDraft {
  return { name: 'Greeting', components: [{ content: 'Hello {{name}}' }], ...fields }
}

/** Records events with these insertIds in one turn. */
export async function recordAll(store: Store, insertIds: readonly string[]): Promise<void> {
  await Promise.all(insertIds.map((insertId) => store.recordEvent(context, event({ insertId }))))
}

/** Returns the insertIds of the stored events in their order. */
export async function listInsertIds(store: Store): Promise<(string | undefined)[]> {
  return (await store.listEvents('default')).events.map(({ fields }) => fields.insertId)
}

/** Imports a document as the control plane does. Returns the numbers of its records, or its faults. */
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
