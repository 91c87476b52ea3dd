import type { JsonObject } from '../../core/json.ts'
import type { CoverageView, Missing, OperationCoverage } from '../coverage-view.ts'
import type { MannersFinding } from '../manners.ts'
import { type Counted, type Found, type Report, summaryOf } from '../report.ts'

/** The report as `GET /__sim/report` and a `.json` file have it. */
export function jsonReport(report: Report): JsonObject {
  const { contract, requests, violations, unexpected, brokenRules, unexpectedAnswers, coverage } = report
  const { manners } = report
  return {
    contract: { ...contract },
    sandbox: report.sandbox ?? '*',
    summary: summaryOf(report),
    requests,
    violations: { requests: violations, ...foundAsJson(brokenRules) },
    unexpected: { answers: unexpected, ...foundAsJson(unexpectedAnswers) },
    manners: foundAsJson({ ...manners, list: manners.list.map(timeless) }),
    coverage: coverageAsJson(coverage),
  }
}

/** A finding without what a machine's speed decides. */
function timeless({ waitedMs: _, ...finding }: Counted<MannersFinding>) {
  return finding
}

/** What was found, each with the requests that show it. */
export function foundAsJson({ list, further }: Found<object>): JsonObject {
  return { findings: list as unknown as JsonObject[], further } // texts and numbers all through
}

/** Coverage as `GET /__sim/coverage` has it. */
export function coverageAsJson({ met, points, percent, operations }: CoverageView): JsonObject {
  return { met, points, percent, operations: operations.map(operationAsJson) }
}

function operationAsJson({ covered, missing, outOfReach, ...others }: OperationCoverage): JsonObject {
  return {
    ...others,
    covered: covered.map(({ name }) => name),
    missing: missing.map(missingAsJson),
    outOfReach: [...outOfReach],
  }
}

function missingAsJson({ name, sentence, point, way }: Missing): JsonObject {
  return {
    name,
    sentence,
    point: { ...point },
    ...(way && { headers: { ...way.headers } }),
    ...(way?.path !== undefined && { path: way.path }),
  }
}
