import type { JsonObject } from '../../core/json.ts'
import { setImmediate } from '../../core/timers.ts'

/** This process's copy of a sandbox, without its data, which `StateData` has. */
export interface SandboxCopy {
  /** The id of the log, which a deleted sandbox loses. Empty: there is no log. */
  readonly incarnation: string
  /** The number of changes that the copy contains. */
  seq: number
  /** The number of changes after which the length of the log is counted: those of the latest snapshot, as far as the process knows. */
  countedFrom: number
  /** The number of characters of the changes behind them, and of the snapshot. */
  logLength: number
  snapshotLength: number
  shared: JsonObject | undefined
}

export const NO_COPY: Readonly<SandboxCopy> = {
  incarnation: '',
  seq: 0,
  countedFrom: 0,
  logLength: 0,
  snapshotLength: 0,
  shared: undefined,
}

/**
 * The copies of this process in the order of their last use. Those beyond a limit are forgotten in the next turn of the event loop: a reader
 * that was told that its copy is up to date uses it before.
 */
export class SandboxCopies {
  readonly #copies = new Map<string, SandboxCopy>()
  readonly #limit: number
  readonly #forget: (sandbox: string) => void
  #isTrimDue = false

  /** `forget`: deletes the copy with its data. */
  constructor(limit: number, forget: (sandbox: string) => void) {
    this.#limit = limit
    this.#forget = forget
  }

  /** The names of the sandboxes, the least recently used first. */
  get names(): readonly string[] {
    return [...this.#copies.keys()]
  }

  get(sandbox: string): SandboxCopy | undefined {
    return this.#copies.get(sandbox)
  }

  /** Returns the copy, which is now the most recently used. */
  use(sandbox: string): SandboxCopy | undefined {
    const copy = this.#copies.get(sandbox)
    if (copy !== undefined) this.set(sandbox, copy)
    return copy
  }

  /** Adds or replaces a copy, which is now the most recently used. */
  set(sandbox: string, copy: SandboxCopy): void {
    this.#copies.delete(sandbox)
    this.#copies.set(sandbox, copy)
    if (this.#copies.size <= this.#limit || this.#isTrimDue) return
    this.#isTrimDue = true
    setImmediate(() => this.#trim())
  }

  delete(sandbox: string): void {
    this.#copies.delete(sandbox)
  }

  #trim(): void {
    this.#isTrimDue = false
    const excess = this.#copies.size - this.#limit
    if (excess > 0) for (const sandbox of this.names.slice(0, excess)) this.#forget(sandbox)
  }
}
