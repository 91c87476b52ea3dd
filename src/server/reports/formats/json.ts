import type { JsonObject } from '../../../base/core/json.ts'
import type { CoverageView, CoveredItem, OperationCoverage } from '../coverage-view.ts'
import { type Counted, type FindingList, type Report, summarizeReport } from '../report.ts'
import type { ReportedRun } from '../reported-run.ts'
import type { RetryProblem } from '../retry-problems.ts'

/** Converts a report to JSON, as the control document describes it (`Report`). */
export function reportToJson(report: Report): JsonObject {
  const { contract, requests, violations, unexpected, expected, brokenRules, unexpectedResponses, coverage } = report
  const { retries, advice } = report
  return {
    contract: { ...contract },
    run: runToJson(report.run),
    sandbox: report.sandbox ?? '*',
    summary: summarizeReport(report),
    requests,
    violations: { requests: violations, ...findingsToJson(brokenRules) },
    unexpected: { responses: unexpected, ...findingsToJson(unexpectedResponses) },
    expected: { requests: expected },
    retries: findingsToJson({ ...retries, list: retries.list.map(withoutTime) }),
    advice: findingsToJson(advice),
    coverage: coverageToJson(coverage),
    ...(report.truncated && { truncated: true }),
  }
}

function runToJson({ at, version, command, seed, clock, contractDigest, failOn }: ReportedRun): JsonObject {
  return {
    at: new Date(at).toISOString(),
    version,
    ...(command !== undefined && { command }),
    seed,
    clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
    contractDigest,
    failOn: failOn.map((condition) => (condition.kind === 'coverage' ? `coverage<${condition.below}` : condition.kind)),
  }
}

/** Removes the client's pause, which depends on the speed of the machine. */
function withoutTime({ waitedMs: _, ...finding }: Counted<RetryProblem>) {
  return finding
}

/** Converts findings to JSON, each with the requests that showed it. */
export function findingsToJson({ list, further }: FindingList<object>): JsonObject {
  return { findings: list as unknown as JsonObject[], further } // findings consist of texts and numbers
}

/** Converts coverage to JSON, as `GET /__sim/coverage` returns it. */
export function coverageToJson({ met, points, percent, operations }: CoverageView): JsonObject {
  return { met, points, percent, operations: operations.map(operationToJson) }
}

function operationToJson({ items, ...others }: OperationCoverage): JsonObject {
  const named = (state: CoveredItem['state']) => items.filter((one) => one.state === state).map(({ name }) => name)
  return {
    ...others,
    covered: named('met'),
    missing: items.filter(({ state }) => state === 'missing').map(missingToJson),
    outOfReach: named('out-of-reach'),
  }
}

function missingToJson({ name, sentence = '', item, hint }: CoveredItem): JsonObject {
  return {
    name,
    sentence,
    point: { ...item },
    ...(hint && { headers: { ...hint.headers } }),
    ...(hint?.path !== undefined && { path: hint.path }),
  }
}
