import type { ChangeListener } from '../control/deps.ts'
import { toLatin1 } from '../core/bytes.ts'
import { type Json, jsonPieces } from '../core/json.ts'
import { chunksInSlices } from '../core/slices.ts'
import { captureBody, storedBytes } from '../journal/capture-body.ts'
import type { RecordedBody } from '../journal/entry.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { SandboxExport, Store } from '../state/store.ts'
import type { BundledChange } from './bundle.ts'

/** The most changes of a sandbox that are stored; later changes are only counted. */
const maxChanges = 10_000

/** The approximate size of a change without its body. */
const bytesPerChange = 500

/** The most bytes of stored states and changes, in total for all sandboxes. */
const maxHeldBytes = 32 * 1024 * 1024

/** The most bytes of a stored state; a larger one would block other requests while a bundle is written. */
const maxStateBytes = 4 * 1024 * 1024

/** The most bytes of the stored body of a change, for the same reason. */
const maxBodyBytes = 1024 * 1024

/** A state of a sandbox as the text of its export, or the reason why it is not stored. */
export type CapturedState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'export'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** A state that is not stored, since it has more than `maxStateBytes`. */
const tooLargeState: CapturedState = { kind: 'unknown', reason: 'it takes more than 4 MiB' }

/** A request to the control plane that changed a sandbox. */
export interface SandboxChange extends Pick<BundledChange, 'order' | 'operation' | 'method' | 'path' | 'query'> {
  /** The time of receipt by the machine's clock, epoch milliseconds. */
  readonly at: number
  /** The body as sent; without its bytes if it is larger than `maxBodyBytes`. */
  readonly body: RecordedBody
  /** The state after a change whose request does not contain it: the restoration of a snapshot. */
  readonly state?: CapturedState
}

/** The history of a sandbox: its state at the start, and the changes since. */
interface SandboxHistory {
  start: CapturedState
  changes: SandboxChange[]
  /** The number of changes that are not stored, since they exceed `maxChanges` or `maxHeldBytes`. */
  lostChanges: number
  /** The number of requests whose entries were deleted from the journal while the state stayed. */
  deletedRequests: number
  /** The size of the stored start and changes. */
  bytes: number
}

/** The histories of all sandboxes, so that a bundle has the state before the first request of the journal. */
export class Histories {
  readonly #histories = new Map<string, SandboxHistory>()
  #bytes = 0

  /** Replaces the history of a sandbox by one that starts with the given state, and with the settings at start-up. */
  begin(sandbox: string, start: CapturedState): void {
    this.discard(sandbox)
    if (start.kind === 'empty') return
    const history = this.#historyOf(sandbox)
    history.start = this.#admit(history, start)
  }

  /** Adds a change to the history of its sandbox. */
  record(sandbox: string, change: SandboxChange): void {
    const history = this.#historyOf(sandbox)
    const { body, state } = change
    const isHeld = storedBytes(body) <= maxBodyBytes
    const size = bytesPerChange + (isHeld ? storedBytes(body) : 0)
    if (history.changes.length >= maxChanges || this.#bytes + size > maxHeldBytes) {
      history.lostChanges += 1
      return
    }
    this.#addBytes(history, size)
    history.changes.push({
      ...change,
      body: isHeld ? body : { latin1: undefined, size: body.size },
      ...(state && { state: this.#admit(history, state) }),
    })
  }

  /** Counts requests whose entries were deleted from the journal while the state stayed. */
  countDeleted(sandbox: string, requests: number): void {
    if (requests > 0) this.#historyOf(sandbox).deletedRequests += requests
  }

  /** Deletes the history of a sandbox. */
  discard(sandbox: string): void {
    this.#bytes -= this.#histories.get(sandbox)?.bytes ?? 0
    this.#histories.delete(sandbox)
  }

  /** Returns the history of a sandbox, or an empty history if it has none. Later changes are not added to it. */
  of(sandbox: string): Readonly<SandboxHistory> {
    const history = this.#histories.get(sandbox) ?? createHistory()
    return { ...history, changes: [...history.changes] }
  }

  /** Returns a state and counts its bytes, or the reason why it is not stored. */
  #admit(history: SandboxHistory, state: CapturedState): CapturedState {
    if (state.kind !== 'export') return state
    if (state.text.length > maxStateBytes) return tooLargeState
    if (this.#bytes + state.text.length > maxHeldBytes)
      return { kind: 'unknown', reason: 'the states and changes of all sandboxes take more than 32 MiB' }
    this.#addBytes(history, state.text.length)
    return state
  }

  #addBytes(history: SandboxHistory, bytes: number): void {
    history.bytes += bytes
    this.#bytes += bytes
  }

  #historyOf(sandbox: string): SandboxHistory {
    const history = this.#histories.get(sandbox) ?? createHistory()
    this.#histories.set(sandbox, history)
    return history
  }
}

const createHistory = (): SandboxHistory => ({
  start: { kind: 'empty' },
  changes: [],
  lostChanges: 0,
  deletedRequests: 0,
  bytes: 0,
})

/** The most records of a stored state. */
const maxRecords = 10_000

/** The most records, in total for all sandboxes, that are exported at start-up, since their export delays it. */
const maxRecordsAtStart = 1000

/** Begins the history of each sandbox of the state. `isWanted` is true if a failed run writes a bundle. */
export async function beginHistories(histories: Histories, store: Store, isWanted: boolean): Promise<void> {
  const stored = await store.listSandboxes()
  const records = stored.reduce((sum, { events, prompts }) => sum + events + prompts, 0)
  const reason =
    `the state file has ${records} records; ` + `a start with --bundle reads up to ${maxRecords} of each sandbox`
  for (const { name } of stored) {
    const isRead = isWanted || records <= maxRecordsAtStart
    histories.begin(name, isRead ? await captureState(store, name) : { kind: 'unknown', reason })
  }
}

/**
 * Creates the function that records a change in the history of its sandbox. A reset begins the history anew.
 * `seedState` is the state of the default sandbox after a reset; undefined if it is empty.
 */
export function recordChanges(
  histories: Histories,
  store: Store,
  seedState: SandboxExport | undefined,
): ChangeListener {
  const stateAfterReset = (sandbox: string): CapturedState =>
    seedState && sandbox === defaultSandbox ? { kind: 'export', text: JSON.stringify(seedState) } : { kind: 'empty' }
  return async ({ operation, sandbox, request, order }) => {
    switch (operation) {
      case 'reset':
        return histories.begin(sandbox, stateAfterReset(sandbox))
      case 'deleteSandbox':
        return histories.discard(sandbox)
      case 'deleteRequests':
        return // `Journal.onClear` counts the deleted entries
    }
    const { at, method, path, query, body } = request
    histories.record(sandbox, {
      order,
      at,
      operation,
      method,
      path,
      query,
      body: body.kind === 'bytes' ? captureBody(toLatin1(body.bytes)) : { latin1: undefined, size: 0 },
      ...(operation === 'restoreSnapshot' && { state: await captureState(store, sandbox) }),
    })
  }
}

/** Reads the present state of a sandbox. */
async function captureState(store: Store, sandbox: string): Promise<CapturedState> {
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
