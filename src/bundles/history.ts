import type { RecordedBody } from '../journal/entry.ts'

/** The most changes of a sandbox that are held; further ones are counted. */
const maxChanges = 10_000

/** The bytes of a change without its body, about. */
const bytesPerChange = 500

/** The most bytes of states and of bodies of changes that are held, of all sandboxes. */
const maxHeldBytes = 32 * 1024 * 1024

/** The most bytes of a held state, and of the body of a change, so that a bundle is written without a long stall. */
export const maxStateBytes = 4 * 1024 * 1024
const maxBodyBytes = 1024 * 1024

/** A state of a sandbox as the text of its export, or the reason why it is not held. */
export type HeldState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'export'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** A state that is not held, since it has more than `maxStateBytes`. */
export const tooLargeState: HeldState = { kind: 'unknown', reason: 'it takes more than 4 MiB' }

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
  /** The state after the change, where the request alone does not tell it: after a snapshot was restored. Undefined: the request tells it. */
  readonly state?: HeldState
}

/** The history of a sandbox: its state at the start, and the changes since. */
export interface SandboxHistory {
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
