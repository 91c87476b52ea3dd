import type { ChangeListener } from '../control/deps.ts'
import type { Json } from '../core/json.ts'
import { jsonPieces } from '../core/json-pieces.ts'
import { chunksInSlices } from '../core/slices.ts'
import { captureBody } from '../journal/capture-body.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import { type HeldState, type Histories, maxStateBytes, tooLargeState } from './history.ts'

/** The most records of a state that is held. */
const maxRecords = 10_000

/** The most records of all sandboxes that are exported when a simulator starts: their export delays the start. */
const maxRecordsAtStart = 1000

/**
 * Begins the history of each sandbox that the state has when a simulator starts. `isWanted`: a bundle will be written
 * if the run fails.
 */
export async function beginHistories(histories: Histories, store: Store, isWanted: boolean): Promise<void> {
  const stored = await store.listSandboxes()
  const records = stored.reduce((sum, { events, prompts }) => sum + events + prompts, 0)
  const reason = `the state file has ${records} records; a start with --bundle reads up to ${maxRecords} of each sandbox`
  for (const { name } of stored) {
    const isRead = isWanted || records <= maxRecordsAtStart
    histories.begin(name, isRead ? await captureState(store, name) : { kind: 'unknown', reason })
  }
}

/**
 * Creates the function that records a change in the history of its sandbox. A reset begins the history anew.
 * `seedState`: the state to which the default sandbox is reset; undefined: it is empty then.
 */
export function recordChanges(
  histories: Histories,
  store: Store,
  seedState: SandboxExport | undefined,
): ChangeListener {
  const stateAfterReset = (sandbox: string): HeldState =>
    seedState && sandbox === defaultSandbox
      ? { kind: 'export', text: JSON.stringify(seedState) }
      : { kind: 'empty' }
  return async ({ operation, sandbox, request, order }) => {
    switch (operation) {
      case 'reset':
        return histories.begin(sandbox, stateAfterReset(sandbox))
      case 'deleteSandbox':
        return histories.forget(sandbox)
      case 'deleteRequests':
        return // the journal tells the number of its deleted entries
    }
    const { at, method, path, query, body } = request
    histories.record(sandbox, {
      order,
      at,
      operation,
      method,
      path,
      query,
      body: body.kind === 'bytes' ? captureBody(body.bytes) : { bytes: undefined, size: 0 },
      ...(operation === 'restoreSnapshot' && { state: await captureState(store, sandbox) }),
    })
  }
}

/** Reads the present state of a sandbox. */
async function captureState(store: Store, sandbox: string): Promise<HeldState> {
  const summary = (await store.listSandboxes()).find(({ name }) => name === sandbox)
  if (!summary) return { kind: 'empty' }
  const records = summary.events + summary.prompts
  if (records > maxRecords) return { kind: 'unknown', reason: `it has ${records} records` }
  const exported = await store.exportSandbox(sandbox)
  let text = ''
  for await (const chunk of chunksInSlices(jsonPieces(exported as unknown as Json))) {
    text += chunk
    if (text.length > maxStateBytes) return tooLargeState
  }
  return { kind: 'export', text }
}
