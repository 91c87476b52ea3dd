import type { RawParameters } from '../../service/contract/contract.ts'
import { isMemberOf } from '../../service/contract/parameters.ts'
import { usableDeliveries } from '../../service/exchange/delivery.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import type { CoverageItem, OperationItems, ParameterItems } from './coverage-items.ts'
import { collectHits } from './coverage-tree.ts'

export interface OperationHits {
  /** The number of requests that matched the operation, refused ones included. */
  requests: number
  /** 1 for each item that was met, by the index of the item. */
  readonly hits: Uint8Array
}

/**
 * Coverage of the contract: the items that clients have met. It is updated with each exchange, so it does not depend on
 * the journal's evictions; its size is that of the contract, whatever the number of requests.
 *
 * An item of a request counts once a request with it gets a status below 400, even if the response is lost. An item of
 * an response counts once the client received the response whole and without drift. A response of the simulator itself
 * (`origin: simulator`) counts for neither, since the service would never send it.
 */
export class Coverage {
  readonly #byOperation: ReadonlyMap<string, readonly [OperationItems, OperationHits]>

  constructor(operations: readonly OperationItems[]) {
    this.#byOperation = new Map(
      operations.map((operationItems) => [
        operationItems.operation.id,
        [operationItems, { requests: 0, hits: new Uint8Array(operationItems.items.length) }],
      ]),
    )
  }

  /** Lists the items of each operation, with its hits. */
  list(): readonly (readonly [OperationItems, OperationHits])[] {
    return [...this.#byOperation.values()]
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    const found = this.#byOperation.get(entry.operation ?? '')
    if (!found) return
    const [operationItems, counted] = found
    counted.requests += 1
    const { status, origin } = entry.response
    if (origin === 'simulator') return
    if (status < 400) markRequest(live, operationItems, counted.hits)
    if (!isUndamaged(entry)) return
    const index = operationItems.statuses.get(status)
    if (index !== undefined) counted.hits[index] = 1
    for (const hit of operationItems.hitsOf(status, live.responseBody)) counted.hits[hit] = 1
  }

  /** Adds the hits of another coverage, also of another contract, where operations and items are the same. */
  merge(other: Coverage): void {
    for (const [id, [{ items }, ours]] of this.#byOperation) {
      const [former, theirs] = other.#byOperation.get(id) ?? []
      if (!former || !theirs) continue
      ours.requests += theirs.requests
      for (const index of findMet(items, former.items, theirs.hits)) ours.hits[index] = 1
    }
  }
}

/** Finds the indexes of the items that are among the former ones with a hit. */
function findMet(items: readonly CoverageItem[], former: readonly CoverageItem[], hits: Uint8Array): number[] {
  if (items === former) return [...hits.keys()].filter((index) => hits[index] === 1)
  const met = new Set(former.filter((_, index) => hits[index] === 1).map((item) => JSON.stringify(item)))
  return [...items.keys()].filter((index) => met.has(JSON.stringify(items[index])))
}

/** Returns true where the client received the response whole and without drift. */
function isUndamaged({ delivery, damage }: JournalEntry): boolean {
  return delivery.kind === 'delivered' && damage.every((kind) => usableDeliveries.includes(kind))
}

function markRequest(live: LiveExchange, { parameters, body }: OperationItems, hits: Uint8Array): void {
  for (const parameter of parameters) {
    const sent = findSent(parameter, live.rawParameters[parameter.in])
    if (sent !== undefined) markParameter(parameter, sent, hits)
  }
  if (body && live.requestBody !== undefined)
    collectHits(body, live.requestBody, (index) => {
      hits[index] = 1
    })
}

/** Returns the sent text or texts of a parameter, of which a `deepObject` has none; undefined if it was not sent. */
function findSent({ name, isDeepObject }: ParameterItems, group: RawParameters[ParameterItems['in']]) {
  if (Object.hasOwn(group, name)) return group[name]
  return isDeepObject && Object.keys(group).some((key) => isMemberOf(name, key)) ? [] : undefined
}

function markParameter(
  { index, values, isList }: ParameterItems,
  sent: string | readonly string[],
  hits: Uint8Array,
): void {
  hits[index] = 1
  if (values.size === 0) return
  for (const text of typeof sent === 'string' ? [sent] : sent) {
    for (const value of isList ? text.split(/[,|\s]/) : [text]) {
      const valueIndex = values.get(value)
      if (valueIndex !== undefined) hits[valueIndex] = 1
    }
  }
}
