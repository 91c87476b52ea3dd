import type { ChangeListener } from '../control/deps.ts'
import type { Json } from '../core/json.ts'
import { jsonPieces } from '../core/json-pieces.ts'
import { chunksInSlices } from '../core/slices.ts'
import { captureBody } from '../journal/capture-body.ts'
import type { RecordedBody } from '../journal/entry.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import type { SandboxExport, Store } from '../state/store.ts'

/** The most changes of a sandbox that are held; further ones are counted. */
const maxChanges = 10_000

/** The bytes of a change without its body, about. */
const bytesPerChange = 500

/** The most bytes of states and of bodies of changes that are held, of all sandboxes. */
const maxHeldBytes = 32 * 1024 * 1024

/** The most bytes of a held state, and of the body of a change, so that a bundle is written without a long stall. */
const maxStateBytes = 4 * 1024 * 1024
const maxBodyBytes = 1024 * 1024

/** A state of a sandbox as the text of its export, or the reason why it is not held. */
export type HeldState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'export'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** A state that is not held, since it has more than `maxStateBytes`. */
const tooLargeState: HeldState = { kind: 'unknown', reason: 'it takes more than 4 MiB' }

/** A change of a sandbox by the control plane. */
export interface SandboxChange {
  /** The position in the order of `Journal.takeOrder`. */
  readonly order: number
  /** The machine's time, epoch milliseconds. */
  readonly at: number
  /** The `operationId` of the control plane: `putScenarios`. */
  readonly operation: string
  readonly method: string
  /** The path as sent: `/__sim/scenarios`. */
  readonly path: string
  /** The query as sent, without the question mark. */
  readonly query: string
  /** The body as sent; evicted where the changes take too much room. */
  readonly body: RecordedBody
  /** The state after the change if the request alone does not tell it: after a snapshot was restored. */
  readonly state?: HeldState
}

/** The history of a sandbox: its state at the start, and the changes since. */
interface SandboxHistory {
  start: HeldState
  changes: SandboxChange[]
  /** The number of changes that were not held, for want of room. */
  lostChanges: number
  /** The number of requests whose entries were deleted from the journal while the state stayed. */
  deletedRequests: number
  /** The bytes that are held of the start and the changes. */
  bytes: number
}

/** The history of each sandbox, so that a bundle can have the state that the first request of the journal met. */
export class Histories {
  readonly #histories = new Map<string, SandboxHistory>()
  #bytes = 0

  /** Begins the history of a sandbox anew: its state is the given one, and all settings are those of the start. */
  begin(sandbox: string, start: HeldState): void {
    this.forget(sandbox)
    if (start.kind === 'empty') return
    const history = this.#historyOf(sandbox)
    history.start = this.#hold(history, start)
  }

  /** Adds a change to the history of its sandbox. */
  record(sandbox: string, change: SandboxChange): void {
    const history = this.#historyOf(sandbox)
    const { body, state } = change
    const isHeld = (body.bytes?.length ?? 0) <= maxBodyBytes
    const size = bytesPerChange + (isHeld ? (body.bytes?.length ?? 0) : 0)
    if (history.changes.length >= maxChanges || this.#bytes + size > maxHeldBytes) {
      history.lostChanges += 1
      return
    }
    this.#count(history, size)
    history.changes.push({
      ...change,
      body: isHeld ? body : { bytes: undefined, size: body.size },
      ...(state && { state: this.#hold(history, state) }),
    })
  }

  /** Notes that entries were deleted from the journal while the state stayed. */
  countDeleted(sandbox: string, requests: number): void {
    if (requests > 0) this.#historyOf(sandbox).deletedRequests += requests
  }

  /** Forgets a sandbox that was evicted. */
  forget(sandbox: string): void {
    this.#bytes -= this.#histories.get(sandbox)?.bytes ?? 0
    this.#histories.delete(sandbox)
  }

  /** Returns the history of a sandbox; that of a new one if it has none. The changes are a copy. */
  of(sandbox: string): Readonly<SandboxHistory> {
    const history = this.#histories.get(sandbox) ?? createHistory()
    return { ...history, changes: [...history.changes] }
  }

  #hold(history: SandboxHistory, state: HeldState): HeldState {
    if (state.kind !== 'export') return state
    if (state.text.length > maxStateBytes) return tooLargeState
    if (this.#bytes + state.text.length > maxHeldBytes)
      return { kind: 'unknown', reason: 'the states and changes of all sandboxes take more than 32 MiB' }
    this.#count(history, state.text.length)
    return state
  }

  #count(history: SandboxHistory, bytes: number): void {
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

/** The most records of a state that is held. */
const maxRecords = 10_000

/** The most records of all sandboxes that are exported when a simulator starts: their export delays the start. */
const maxRecordsAtStart = 1000

/** Begins the history of each sandbox of the state. `isWanted`: a bundle is written if the run fails. */
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
 * `seedState`: the state to which the default sandbox is reset; undefined: it is empty then.
 */
export function recordChanges(
  histories: Histories,
  store: Store,
  seedState: SandboxExport | undefined,
): ChangeListener {
  const stateAfterReset = (sandbox: string): HeldState =>
    seedState && sandbox === defaultSandbox ? { kind: 'export', text: JSON.stringify(seedState) } : { kind: 'empty' }
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
