import type { Coverage } from './coverage.ts'
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

interface NamedItem {
  /** The index of the item in the order of the contract. */
  readonly index: number
  readonly item: CoverageItem
  /** The label of the item: `query period=7d`. */
  readonly name: string
}

export interface MissingItem extends NamedItem {
  readonly sentence: string
  /** The request that shows the item; undefined for an item of a request, and where none is known. */
  readonly hint: CoverageHint | undefined
}

export interface OperationCoverage extends CoverageShare {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The number of requests that matched the operation, refused ones included. */
  readonly requests: number
  readonly covered: readonly NamedItem[]
  readonly missing: readonly MissingItem[]
  /** The labels of missing items that no known request shows; they do not count. */
  readonly outOfReach: readonly string[]
}

/** The coverage of the whole contract. Each item counts the same. */
export interface CoverageView extends CoverageShare {
  readonly operations: readonly OperationCoverage[]
}

/** Lists the met and the missing items by operation, in the order of the contract; a missing item has a hint. */
export function viewCoverage(
  coverage: Coverage,
  allItems: readonly OperationItems[],
  hintFinder: HintFinder,
  context: PreviewContext,
): CoverageView {
  const operations = allItems.map((operationItems) => viewOperation(coverage, operationItems, hintFinder, context))
  const met = operations.reduce((sum, operation) => sum + operation.met, 0)
  const points = operations.reduce((sum, operation) => sum + operation.points, 0)
  return { ...toShare(met, points), operations }
}

function viewOperation(
  coverage: Coverage,
  operationItems: OperationItems,
  hintFinder: HintFinder,
  context: PreviewContext,
): OperationCoverage {
  const { operation, items } = operationItems
  const { requests = 0, hits = new Uint8Array() } = coverage.hitsOf(operation.id) ?? {}
  const findHint = hintFinder(operationItems, context)
  const covered: NamedItem[] = []
  const missing: MissingItem[] = []
  const outOfReach: string[] = []
  for (const [index, item] of items.entries()) {
    const name = labelItem(item)
    const isMet = hits[index] === 1
    const hint = isRequestItem(item) || isMet ? undefined : findHint(index)
    if (isMet) covered.push({ index, item, name })
    else if (!hint && !isRequestItem(item)) outOfReach.push(name)
    else missing.push({ index, item, name, sentence: describeMissing(item, hint, operation.successStatus), hint })
  }
  return {
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    requests,
    ...toShare(covered.length, covered.length + missing.length),
    covered,
    missing,
    outOfReach,
  }
}

function toShare(met: number, points: number): CoverageShare {
  return { met, points, percent: points === 0 ? 100 : Math.floor((1000 * met) / points) / 10 }
}
