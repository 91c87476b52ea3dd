import type { FindingsReport, Report } from '../../reports/report.ts'
import { isSuiteCondition, type SuiteGate } from '../parse-suite-fail-on.ts'
import { judgeSuite } from '../report/judge-suite.ts'
import { describeSwallowed, type HuntFinding, type HuntReport } from './hunt-report.ts'

/** The condition that each verdict meets, and the words for it. */
const met = {
  broke: { kind: 'not-resilient', words: 'broke' },
  hung: { kind: 'hung', words: 'hung' },
} as const satisfies Record<HuntFinding['verdict'], { kind: string; words: string }>

/**
 * Judges a hunt, and the requests of the run without faults and of all others. @returns a sentence for each condition
 * that is met
 */
export function judgeHunt(
  hunt: Pick<HuntReport, 'finding' | 'counts' | 'neverSucceeded'>,
  plain: Report,
  findings: readonly FindingsReport[],
  conditions: readonly SuiteGate[],
): string[] {
  const others = conditions.filter((condition) => !isSuiteCondition(condition))
  const swallowing = conditions.some(({ kind }) => kind === 'not-resilient')
    ? describeSwallowed(hunt)
    : undefined
  return [
    ...(hunt.finding ? judgeFinding(hunt.finding, conditions) : []),
    ...(swallowing === undefined ? [] : [swallowing]),
    ...judgeSuite([], plain, findings, others),
  ]
}

function judgeFinding({ verdict, candidate }: HuntFinding, conditions: readonly SuiteGate[]): string[] {
  const { kind, words } = met[verdict]
  if (!conditions.some((condition) => condition.kind === kind)) return []
  return [`the command ${words} under ${candidate.map(({ scenario }) => `"${scenario.text}"`).join(' and ')}`]
}
