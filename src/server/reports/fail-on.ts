import type { FailCondition, failOnKinds } from './parse-fail-on.ts'
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

/** Judges a report by one condition that is not about its coverage. @returns as `judgeCondition` does */
export function judgeFindings(
  report: FindingsReport,
  { kind }: Exclude<FailCondition, { readonly kind: 'coverage' }>,
): string | undefined {
  return judges[kind](report) || undefined
}

const judges: Readonly<Record<(typeof failOnKinds)[number], (report: FindingsReport) => string | false>> = {
  violation: ({ violations }) => violations > 0 && `${pluralize(violations, 'request')} broke the contract`,
  unexpected: ({ unexpected }) => unexpected > 0 && pluralize(unexpected, 'unexpected response'),
  retry: ({ retries }) => countFindings(retries) > 0 && pluralize(countFindings(retries), 'retry problem'),
  advice: ({ advice }) => countFindings(advice) > 0 && `${pluralize(countFindings(advice), 'piece')} of advice`,
  'no-requests': ({ requests }) => requests === 0 && 'no request reached the simulator (no-requests)',
}
