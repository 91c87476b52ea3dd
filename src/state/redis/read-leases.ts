import { machineNow, monotonicNow } from '../../core/timers.ts'

/** The milliseconds for which no other replica can change a sandbox after a lease of it was granted. */
export const LEASE_MS = 30

/** The milliseconds after a change in which no lease is granted, so that a sandbox that is written to is written without waiting. */
export const QUIET_MS = 100

/** The milliseconds of a lease that are not used, for clocks of different speed. */
const MARGIN_MS = 3

/** The end of a lease, by the clock that never goes back and by that which also runs while the machine sleeps. */
interface Lease {
  readonly monotonic: number
  readonly machine: number
}

/** A request for a lease. It fails if the sandbox is changed meanwhile. */
interface LeaseRequest {
  readonly sandbox: string
  readonly ends: Lease
}

/**
 * This process's read leases. While it has the lease of a sandbox, no other replica can change that, so its copy is read without asking Redis.
 * A change by this process ends the lease.
 */
export class ReadLeases {
  readonly #leases = new Map<string, Lease>()
  readonly #requests = new Map<string, LeaseRequest>()
  /** The sandboxes with a change by this process that is not answered yet. */
  readonly #changing = new Set<string>()

  /** Returns the milliseconds for which the copy of a sandbox can be read; 0 or less: it cannot. */
  msLeft(sandbox: string): number {
    const lease = this.#leases.get(sandbox)
    if (lease === undefined) return 0
    return Math.min(lease.monotonic - monotonicNow(), lease.machine - machineNow())
  }

  /** Begins a request for a lease, before it is sent. */
  request(sandbox: string): LeaseRequest {
    const ms = LEASE_MS - MARGIN_MS
    const request = { sandbox, ends: { monotonic: monotonicNow() + ms, machine: machineNow() + ms } }
    this.#requests.set(sandbox, request)
    return request
  }

  /** Begins the lease that was granted, unless the process changed or forgot the sandbox since the request. */
  grant(request: LeaseRequest): void {
    const { sandbox, ends } = request
    if (this.#requests.get(sandbox) === request && !this.#changing.has(sandbox))
      this.#leases.set(sandbox, ends)
  }

  /** Begins a change, before it is sent: until it ends, the process gets no lease. The changes of a sandbox take turns. */
  beginChange(sandbox: string): void {
    this.end(sandbox)
    this.#changing.add(sandbox)
  }

  endChange(sandbox: string): void {
    this.#changing.delete(sandbox)
    this.end(sandbox)
  }

  /** Ends the lease of a sandbox, and fails a request for it. */
  end(sandbox: string): void {
    this.#leases.delete(sandbox)
    this.#requests.delete(sandbox)
  }

  endAll(): void {
    this.#leases.clear()
    this.#requests.clear()
  }
}
