import type { FailCondition } from './parse-fail-on.ts'
import { countFindings, type FindingsReport, pluralize, type Report } from './report.ts'

/** Judges a report by conditions. @returns a sentence for each condition that is met; empty where the run passes */
export function judgeFailOn(report: Report, conditions: readonly FailCondition[]): string[] {
  return conditions.flatMap((condition) => judgeCondition(report, condition) ?? [])
}

/** Judges a report by one condition. @returns a sentence where it is met; undefined where the run passes */
export function judgeCondition(report: Report, condition: FailCondition): string | undefined {
  if (condition.kind !== 'coverage') return judgeFindings(report, condition)
  const { percent } = report.coverage
  return percent < condition.below ? `${percent} % of the contract covered, ${condition.below} % wanted` : undefined
}

export function judgeFindings(
  report: FindingsReport,
  condition: Exclude<FailCondition, { readonly kind: 'coverage' }>,
): string | undefined {
  const { requests, violations, unexpected } = report
  const findings = countFindings(report.manners)
  const advice = countFindings(report.advice)
  switch (condition.kind) {
    case 'violation':
      return violations > 0 ? `${pluralize(violations, 'request')} broke the contract` : undefined
    case 'unexpected':
      return unexpected > 0 ? pluralize(unexpected, 'unexpected answer') : undefined
    case 'manners':
      return findings > 0 ? `${pluralize(findings, 'finding')} on manners` : undefined
    case 'advice':
      return advice > 0 ? `${pluralize(advice, 'piece')} of advice` : undefined
    case 'no-requests':
      return requests === 0 ? 'no request reached the simulator (no-requests)' : undefined
  }
}
