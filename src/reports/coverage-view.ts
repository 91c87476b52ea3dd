import type { Coverage } from './coverage.ts'
import type { CoverageItem, OperationItems } from './coverage-items.ts'
import type { CoverageHint, HintFinder } from './hint-finder.ts'
import { isOfRequest, nameOf, sentenceOf } from './labels.ts'

/** Where answers are looked for: what they show depends on both. */
export interface PreviewWorld {
  readonly seed: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** How many of the points were met. */
export interface Share {
  readonly met: number
  /** Those that were met, and those that could be: what the simulator knows no way to show is nobody's fault. */
  readonly points: number
  /** `met / points`, in hundredths, rounded down to a tenth: 100 only where nothing is missing. */
  readonly percent: number
}

/** A point with its name. */
export interface Named {
  /** Its place in the contract's order. */
  readonly number: number
  readonly point: CoverageItem
  readonly name: string
}

/** What nobody has met yet. */
export interface Missing extends Named {
  readonly sentence: string
  /** How to meet it, where it is part of an answer and a way is known. */
  readonly way: CoverageHint | undefined
}

export interface OperationCoverage extends Share {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** Requests that met the operation, refused or not. */
  readonly requests: number
  readonly covered: readonly Named[]
  readonly missing: readonly Missing[]
  /** Names of points that nobody has met and that the simulator knows no way to; they are not counted. */
  readonly outOfReach: readonly string[]
}

/** How much of the contract the clients have met. Each point counts the same. */
export interface CoverageView extends Share {
  readonly operations: readonly OperationCoverage[]
}

/** Says of what was met what is missing, and how to meet it. In the contract's order. */
export function viewCoverage(
  coverage: Coverage,
  plan: readonly OperationItems[],
  ways: HintFinder,
  place: PreviewWorld,
): CoverageView {
  const operations = plan.map((points) => viewOperation(coverage, points, ways, place))
  const sum = (of: (one: OperationCoverage) => number) => operations.reduce((all, one) => all + of(one), 0)
  return {
    ...share(
      sum(({ met }) => met),
      sum(({ points }) => points),
    ),
    operations,
  }
}

function viewOperation(
  coverage: Coverage,
  own: OperationItems,
  ways: HintFinder,
  place: PreviewWorld,
): OperationCoverage {
  const { operation, items } = own
  const { requests = 0, marks = new Uint8Array() } = coverage.of(operation.id) ?? {}
  const covered: Named[] = []
  const missing: Missing[] = []
  const outOfReach: string[] = []
  for (const [number, point] of items.entries()) {
    const name = nameOf(point)
    const way = isOfRequest(point) || marks[number] === 1 ? undefined : ways.to(own, number, place)
    if (marks[number] === 1) covered.push({ number, point, name })
    else if (!way && !isOfRequest(point)) outOfReach.push(name)
    else missing.push({ number, point, name, sentence: sentenceOf(point, way, operation.successStatus), way })
  }
  return {
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    requests,
    ...share(covered.length, covered.length + missing.length),
    covered,
    missing,
    outOfReach,
  }
}

function share(met: number, points: number): Share {
  return { met, points, percent: points === 0 ? 100 : Math.floor((1000 * met) / points) / 10 }
}
