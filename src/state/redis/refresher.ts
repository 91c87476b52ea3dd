import { nextTurn } from '../../core/timers.ts'

/** A refresh, which readers can share until it is sent. */
interface Refresh {
  isSent: boolean
  readonly promise: Promise<void>
}

/**
 * Refreshes the copies of sandboxes. One refresh of a sandbox is in progress at a time, and all readers that come meanwhile share the next
 * one: the cost of a read falls with the load.
 */
export class Refresher {
  readonly #read: (sandbox: string) => Promise<unknown>
  /** The latest refresh of each sandbox that is not over. */
  readonly #refreshes = new Map<string, Refresh>()

  /** `read`: brings the copy of a sandbox up to date. */
  constructor(read: (sandbox: string) => Promise<unknown>) {
    this.#read = read
  }

  /** Resolves once the copy has every change that was acknowledged before the call. */
  refresh(sandbox: string): Promise<void> {
    const current = this.#refreshes.get(sandbox)
    if (current?.isSent === false) return current.promise
    const begin = current ? current.promise.catch(() => undefined) : nextTurn()
    const refresh: Refresh = { isSent: false, promise: begin.then(() => this.#send(sandbox, refresh)) }
    this.#refreshes.set(sandbox, refresh)
    return refresh.promise
  }

  async #send(sandbox: string, refresh: Refresh): Promise<void> {
    refresh.isSent = true
    try {
      await this.#read(sandbox)
    } finally {
      if (this.#refreshes.get(sandbox) === refresh) this.#refreshes.delete(sandbox)
    }
  }
}
