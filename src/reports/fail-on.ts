import { countFindings, pluralize, type Report } from './report.ts'

/** A condition under which a run fails: a finding of a kind, or less than `below` percent of coverage. */
export type FailCondition =
  | { readonly kind: 'violation' | 'unexpected' | 'manners' }
  | { readonly kind: 'coverage'; readonly below: number }

/** Judges a report by conditions. @returns a sentence for each condition that is met; empty where the run passes */
export function judgeFailOn(report: Report, conditions: readonly FailCondition[]): string[] {
  return conditions.flatMap((condition) => judgeCondition(report, condition) ?? [])
}

function judgeCondition(report: Report, condition: FailCondition): string | undefined {
  const { violations, unexpected, manners, coverage } = report
  const findings = countFindings(manners)
  switch (condition.kind) {
    case 'violation':
      return violations > 0 ? `${pluralize(violations, 'request')} broke the contract` : undefined
    case 'unexpected':
      return unexpected > 0 ? pluralize(unexpected, 'unexpected answer') : undefined
    case 'manners':
      return findings > 0 ? `${pluralize(findings, 'finding')} on manners` : undefined
    case 'coverage':
      return coverage.percent < condition.below
        ? `${coverage.percent} % of the contract covered, ${condition.below} % wanted`
        : undefined
  }
}
