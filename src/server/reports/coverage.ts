import { isObject } from '../../base/core/json.ts'
import { usableDeliveries } from '../../service/exchange/reply.ts'
import type { JournalEntry, LiveExchange } from '../journal/entry.ts'
import type { CoverageItem, OperationItems } from './coverage-items.ts'
import type { CoverageHint, HintFinder } from './hint-finder.ts'
import type { ReportedRun } from './reported-run.ts'

interface OperationHits {
  readonly operationItems: OperationItems
  /** The number of requests that matched the operation, including refused requests. */
  requests: number
  readonly coveredKeys: Set<string>
  /** The response bodies already counted, with their statuses. Cached responses share one body object. */
  readonly countedBodies: WeakMap<object, number>
}

/**
 * The items of the contract that clients have covered. Coverage is updated whenever an exchange is recorded, so journal
 * evictions do not affect it.
 * A request item is covered by a request that contains it and gets a status below 400, even if the response is lost. A
 * response item is covered by a response that is delivered complete and undamaged. An exchange covers nothing if the
 * `origin` of its response is `simulator` or `gateway`, since the service would never send that response.
 */
export class Coverage {
  readonly hits: ReadonlyMap<string, OperationHits>

  constructor(operations: readonly OperationItems[]) {
    this.hits = new Map(
      operations.map((operationItems) => [
        operationItems.operation.id,
        { operationItems, requests: 0, coveredKeys: new Set(), countedBodies: new WeakMap() },
      ]),
    )
  }

  record(entry: JournalEntry, live: LiveExchange): void {
    const hits = this.hits.get(entry.operation ?? '')
    if (!hits) return
    const { operationItems, coveredKeys, countedBodies } = hits
    hits.requests += 1
    const { status, origin } = entry.response
    if (origin === 'simulator' || origin === 'gateway') return
    if (status < 400) for (const key of operationItems.keysOfRequest(live)) coveredKeys.add(key)
    if (!hasArrivedUndamaged(entry)) return
    const body = live.responseBody
    if (isObject(body)) {
      if (countedBodies.get(body) === status) return
      countedBodies.set(body, status)
    }
    for (const key of operationItems.keysOfResponse(status, body)) coveredKeys.add(key)
  }

  /** Adds the hits of another instance for the operations and items in both contracts, which may differ. */
  merge(other: Coverage): void {
    for (const [id, hits] of this.hits) {
      const otherHits = other.hits.get(id)
      hits.requests += otherHits?.requests ?? 0
      for (const key of otherHits?.coveredKeys ?? []) if (hits.operationItems.items.has(key)) hits.coveredKeys.add(key)
    }
  }
}

function hasArrivedUndamaged({ delivery, damage }: JournalEntry): boolean {
  return delivery.kind === 'delivered' && damage.every((kind) => usableDeliveries.includes(kind))
}

export interface ItemCoverage {
  readonly name: string
  /** `out-of-reach`: no known request covers the item, so it does not count. */
  readonly state: 'met' | 'missing' | 'out-of-reach'
  /** How to cover a missing item (`MissingPoint` in the control document). */
  readonly missing?: { readonly sentence: string }
}

export type CoverageView = ReturnType<typeof viewCoverage>

export type OperationCoverage = ReturnType<typeof viewOperation>

/** Returns the totals, and the items by operation, with a sentence on how to cover each missing item. */
export function viewCoverage(coverage: Coverage, hintFinder: HintFinder, run: ReportedRun) {
  const operations = Array.from(coverage.hits.values(), (hits) =>
    viewOperation(hits, hintFinder(hits.operationItems, run)),
  )
  const met = operations.reduce((sum, operation) => sum + operation.met, 0)
  const points = operations.reduce((sum, operation) => sum + operation.points, 0)
  return { ...toShare(met, points), operations }
}

function viewOperation(
  { operationItems: { operation, items }, requests, coveredKeys }: OperationHits,
  findHint: ReturnType<HintFinder>,
) {
  const { id, method, path, successStatus } = operation
  const itemCoverages = Array.from(items, ([key, item]): ItemCoverage => {
    const name = item.label
    const hint = item.status === undefined ? undefined : findHint(key)
    // A response item without a hint is not counted even if it is covered, since the total must not grow during a run.
    if (item.status !== undefined && !hint) return { name, state: 'out-of-reach' }
    if (coveredKeys.has(key)) return { name, state: 'met' }
    return { name, state: 'missing', missing: hint ? describeUnseen(item, hint, successStatus) : describeUnsent(item) }
  })
  const countedItems = itemCoverages.filter(({ state }) => state !== 'out-of-reach')
  const share = toShare(countedItems.filter(({ state }) => state === 'met').length, countedItems.length)
  return { operation: id, method, path, requests, ...share, items: itemCoverages }
}

/** `points`: the number of items that can be covered. `percent` is rounded down, so 100% means that all are covered. */
function toShare(met: number, points: number) {
  return { met, points, percent: points === 0 ? 100 : Math.floor((1000 * met) / points) / 10 }
}

function describeUnsent({ label: name, ...point }: CoverageItem) {
  return { name, sentence: `No test has sent ${name}; send it in a valid request.`, point }
}

/** Describes a missing item: `No test has seen recommendations: null; send X-Sim-Scenario: empty to get it.` */
function describeUnseen({ label: name, ...point }: CoverageItem, { headers, path }: CoverageHint, success: number) {
  const { kind, status } = point
  const inStatus = kind === 'status' || status === success ? '' : ` in a ${status}`
  const [header] = Object.entries(headers)
  const how = header ? header.join(': ') : 'any valid request'
  // The enum values in a response depend on the model in the path, so the sentence includes the path.
  const onPath = kind === 'response-value' && path !== undefined ? ` on ${path}` : ''
  const sentence = `No test has seen ${name}${inStatus}; send ${how}${onPath} to get it.`
  return { name, sentence, point, headers, path }
}

export function coverageToJson({ operations, ...share }: CoverageView) {
  return { ...share, operations: operations.map(operationToJson) }
}

function operationToJson({ items, ...others }: OperationCoverage) {
  const namesIn = (state: ItemCoverage['state']) => items.filter((item) => item.state === state).map(({ name }) => name)
  return {
    ...others,
    covered: namesIn('met'),
    missing: items.flatMap(({ missing }) => missing ?? []),
    outOfReach: namesIn('out-of-reach'),
  }
}
