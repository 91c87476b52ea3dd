import { nextTurn } from '../../core/timers.ts'
import { LEASE_MS, type ReadLeases } from './read-leases.ts'

/** A refresh, which readers can share until it is sent. */
interface Refresh {
  isSent: boolean
  readonly promise: Promise<void>
}

/**
 * Refreshes the copies of sandboxes. One refresh of a sandbox is in progress at a time, and all readers that come meanwhile share the next
 * one: the cost of a read falls with the load. A copy with a read lease is up to date.
 */
export class Refresher {
  readonly #leases: ReadLeases
  readonly #read: (sandbox: string) => Promise<unknown>
  /** The latest refresh of each sandbox that is not over. */
  readonly #refreshes = new Map<string, Refresh>()

  /** `read`: brings the copy of a sandbox up to date. */
  constructor(read: (sandbox: string) => Promise<unknown>, leases: ReadLeases) {
    this.#leases = leases
    this.#read = read
  }

  /** Resolves once the copy has every change that was acknowledged before the call. Undefined: it has. */
  refresh(sandbox: string): Promise<void> | undefined {
    const left = this.#leases.msLeft(sandbox)
    if (left > LEASE_MS / 2) return undefined
    if (left <= 0) return this.#share(sandbox)
    if (!this.#refreshes.has(sandbox)) this.#share(sandbox).catch(() => undefined) // prolongs the lease; if that fails, a later reader asks
    return undefined
  }

  #share(sandbox: string): Promise<void> {
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
