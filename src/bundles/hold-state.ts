import type { Store } from '../state/store.ts'
import type { HeldState, Histories } from './history.ts'

/** The most records of a state that is held. */
const maxRecords = 10_000

/** The most records of all sandboxes that are exported when a simulator starts: their export delays the start. */
const maxRecordsAtStart = 1000

/** Reads the present state of a sandbox. */
export async function holdState(store: Store, sandbox: string): Promise<HeldState> {
  const summary = (await store.listSandboxes()).find(({ name }) => name === sandbox)
  if (!summary) return { kind: 'empty' }
  const records = summary.events + summary.prompts
  if (records > maxRecords) return { kind: 'unknown', reason: `it has ${records} records` }
  return { kind: 'export', text: JSON.stringify(await store.exportSandbox(sandbox)) }
}

/** Begins the history of each sandbox that the state has when a simulator starts. `isWanted`: a bundle will be written if the run fails. */
export async function beginHistories(histories: Histories, store: Store, isWanted: boolean): Promise<void> {
  const stored = await store.listSandboxes()
  const records = stored.reduce((sum, { events, prompts }) => sum + events + prompts, 0)
  const reason = `the state file has ${records} records; a start with --bundle reads up to ${maxRecords} of each sandbox`
  for (const { name } of stored) {
    const isRead = isWanted || records <= maxRecordsAtStart
    histories.begin(name, isRead ? await holdState(store, name) : { kind: 'unknown', reason })
  }
}
