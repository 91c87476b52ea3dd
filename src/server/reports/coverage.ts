import { isObject } from '../../base/core/json.ts'
import { usableDeliveries } from '../../service/exchange/delivery.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import type { OperationItems } from './coverage-items.ts'

export interface OperationHits {
  readonly operationItems: OperationItems
  /** The number of requests that matched the operation, refused ones included. */
  requests: number
  /** The keys of the items that were met. */
  readonly met: Set<string>
  /** The response bodies that were read, with their statuses: all responses of a cache have one body. */
  readonly readBodies: WeakMap<object, number>
}

/**
 * Coverage of the contract: the items that clients have met. It is updated with each exchange, so it does not depend on
 * the journal's evictions; its size is that of the contract, whatever the number of requests.
 *
 * An item of a request counts once a request with it gets a status below 400, even if the response is lost. An item of
 * a response counts once the client received the response whole and without drift. A response of the simulator itself
 * (`origin: simulator`) counts for neither, since the service would never send it.
 */
export class Coverage {
  readonly #byOperation: ReadonlyMap<string, OperationHits>

  constructor(operations: readonly OperationItems[]) {
    this.#byOperation = new Map(
      operations.map((operationItems) => [
        operationItems.operation.id,
        { operationItems, requests: 0, met: new Set(), readBodies: new WeakMap() },
      ]),
    )
  }

  /** Lists what was met, in the order of the contract. */
  list(): readonly OperationHits[] {
    return [...this.#byOperation.values()]
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    const hits = this.#byOperation.get(entry.operation ?? '')
    if (!hits) return
    const { operationItems, met, readBodies } = hits
    hits.requests += 1
    const { status, origin } = entry.response
    if (origin === 'simulator') return
    if (status < 400) for (const key of operationItems.readRequest(live)) met.add(key)
    if (!isUndamaged(entry)) return
    const body = live.responseBody
    if (isObject(body)) {
      if (readBodies.get(body) === status) return
      readBodies.set(body, status)
    }
    for (const key of operationItems.readResponse(status, body)) met.add(key)
  }

  /** Adds the hits of another coverage, also of another contract, where operations and items are the same. */
  merge(other: Coverage): void {
    for (const [id, hits] of this.#byOperation) {
      const theirs = other.#byOperation.get(id)
      hits.requests += theirs?.requests ?? 0
      for (const key of theirs?.met ?? []) if (hits.operationItems.items.has(key)) hits.met.add(key)
    }
  }
}

function isUndamaged({ delivery, damage }: JournalEntry): boolean {
  return delivery.kind === 'delivered' && damage.every((kind) => usableDeliveries.includes(kind))
}
