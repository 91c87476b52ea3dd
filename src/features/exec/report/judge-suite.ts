import { type FindingsReport, judgeCondition, type Report } from '../../../server/reports/report.ts'
import { isSuiteCondition, type SuiteFailCondition, type SuiteGate } from '../parse-suite-fail-on.ts'
import type { FaultQuestion } from '../plan/fault-set.ts'
import { type JudgedRun, toPercent } from './suite-report.ts'
import { findingOf, isConclusive } from './verdict.ts'

/** The question of the runs that each condition counts, and the words for it. */
const counted: Readonly<Record<SuiteFailCondition['kind'], { question?: FaultQuestion; words: string }>> = {
  'not-resilient': { question: 'recover', words: 'did not recover' },
  unnoticed: { question: 'notice', words: 'were not noticed' },
  hung: { words: 'hung' },
}

/**
 * Judges the runs and their requests. `plain` is the report on the run without faults, whose coverage counts.
 * @returns a sentence for each condition that is met
 */
export function judgeSuite(
  runs: readonly JudgedRun[],
  plain: Report,
  findings: readonly FindingsReport[],
  conditions: readonly SuiteGate[],
): string[] {
  return conditions.flatMap((condition) => {
    if (isSuiteCondition(condition)) return judgeSuiteCondition(runs, condition) ?? []
    const [first, ...others] = [plain, ...findings].flatMap((one) => judgeCondition(one, condition) ?? [])
    if (first === undefined) return []
    return others.length === 0 ? first : `${first}, and so in ${others.length} more runs`
  })
}

/** Judges the runs by one condition. @returns a sentence where it is met; undefined where they pass */
export function judgeSuiteCondition(
  runs: readonly JudgedRun[],
  { kind, above }: SuiteFailCondition,
): string | undefined {
  const { question, words } = counted[kind]
  const met = runs.filter(
    (one) => isConclusive(one.verdict) && (question === undefined || one.run.fault.question === question),
  )
  const count = met.filter(({ verdict }) => findingOf(verdict) === kind).length
  if (count === 0 || toPercent(count, met.length) <= above) return undefined
  const subject = met.length === 1 ? `1 fault ${words.replace('were', 'was')}` : `${met.length} faults ${words}`
  const bound = above > 0 ? `, at most ${above} % wanted` : ''
  return `${count} of ${subject} (${toPercent(count, met.length)} %${bound})`
}

/** Judges the requests of one run by the conditions that hold for every run; coverage is not among them. */
export function judgeRequests(findings: FindingsReport, conditions: readonly SuiteGate[]): string[] {
  return conditions.flatMap((condition) => {
    if (isSuiteCondition(condition)) return []
    return judgeCondition(findings, condition) ?? []
  })
}
