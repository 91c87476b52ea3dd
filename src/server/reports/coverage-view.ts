import type { Coverage, OperationHits } from './coverage.ts'
import type { CoverageItem, OperationItems } from './coverage-items.ts'
import type { CoverageHint, HintFinder, PreviewContext } from './hint-finder.ts'
import { describeMissing, isRequestItem, labelItem } from './labels.ts'

interface CoverageShare {
  readonly met: number
  /** The number of items that count: those that were met, and those that the simulator can show. */
  readonly points: number
  /** `met / points` in percent, rounded down to a tenth: 100 only if every item was met. */
  readonly percent: number
}

export interface CoveredItem {
  readonly item: CoverageItem
  /** The label of the item: `query period=7d`. */
  readonly name: string
  /** `out-of-reach`: no known request shows it, so that it does not count. */
  readonly state: 'met' | 'missing' | 'out-of-reach'
  /** The sentence about a missing item. */
  readonly sentence?: string
  /** The request that shows a missing item of a response; absent for an item of a request. */
  readonly hint?: CoverageHint | undefined
}

export interface OperationCoverage extends CoverageShare {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The number of requests that matched the operation, refused ones included. */
  readonly requests: number
  /** The items in the order of the contract. */
  readonly items: readonly CoveredItem[]
}

/** The coverage of the whole contract. Each item counts the same. */
export interface CoverageView extends CoverageShare {
  readonly operations: readonly OperationCoverage[]
}

/** Lists the met and the missing items by operation, in the order of the contract; a missing item has a hint. */
export function viewCoverage(coverage: Coverage, hintFinder: HintFinder, context: PreviewContext): CoverageView {
  const operations = coverage.list().map(([items, hits]) => viewOperation(items, hits, hintFinder(items, context)))
  const met = operations.reduce((sum, operation) => sum + operation.met, 0)
  const points = operations.reduce((sum, operation) => sum + operation.points, 0)
  return { ...toShare(met, points), operations }
}

function viewOperation(
  { operation, items }: OperationItems,
  { requests, hits }: OperationHits,
  findHint: ReturnType<HintFinder>,
): OperationCoverage {
  const { id, method, path, successStatus } = operation
  const covered = items.map((item, index): CoveredItem => {
    const name = labelItem(item)
    if (hits[index] === 1) return { item, name, state: 'met' }
    const hint = isRequestItem(item) ? undefined : findHint(index)
    if (!hint && !isRequestItem(item)) return { item, name, state: 'out-of-reach' }
    return { item, name, state: 'missing', sentence: describeMissing(item, hint, successStatus), hint }
  })
  const count = (state: CoveredItem['state']) => covered.filter((one) => one.state === state).length
  const met = count('met')
  return { operation: id, method, path, requests, ...toShare(met, met + count('missing')), items: covered }
}

function toShare(met: number, points: number): CoverageShare {
  return { met, points, percent: points === 0 ? 100 : Math.floor((1000 * met) / points) / 10 }
}
