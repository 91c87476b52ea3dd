import { cutText } from '../core/cut-text.ts'
import type { JsonObject } from '../core/json.ts'
import { maxShown } from './describe.ts'
import type { DriftFinding, DriftReport } from './finding.ts'

/** Converts a comparison to JSON. */
export function driftToJson(report: DriftReport): JsonObject {
  const { verdict, contract, judged, findings, omitted, notJudged } = report
  return {
    verdict,
    contract: { ...contract },
    judged: Object.fromEntries(judged),
    findings: findings.map(findingToJson),
    ...(omitted > 0 && { omitted }),
    notJudged: notJudged.map(({ request, ...others }) => ({
      ...others,
      ...(request !== undefined && { request }),
    })),
  }
}

function findingToJson(finding: DriftFinding): JsonObject {
  const { operation, status, pointer, kind, detail, seen, of, breaks, isDrift, message, sample } = finding
  return {
    operation: operation.id,
    status,
    pointer: cutText(pointer, maxShown),
    kind,
    ...(kind === 'renamed-field' && { name: detail }),
    ...(kind === 'header' && { header: detail }),
    seen,
    of,
    breaks,
    ...(!isDrift && { note: true }),
    message,
    sample: {
      request: cutText(sample.request, maxShown),
      ...(sample.value !== undefined && { value: sample.value }),
    },
    ...(finding.place !== undefined && { contract: finding.place }),
    ...(finding.assumption && { assumption: finding.assumption.pointer }),
  }
}
