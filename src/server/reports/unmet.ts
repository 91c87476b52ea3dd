import { joinWords } from '../../base/core/text.ts'
import type { ActiveRule, ActiveRules } from '../../service/scenarios/rules.ts'

/** A rule that was never applied (counted by `--fail-on unmet`) or was applied to fewer requests than expected. */
export interface UnmetRule {
  readonly sandbox: string
  readonly scope: 'sandbox' | 'startup'
  /** The index of the rule in its scope, from 0. */
  readonly index: number
  /** The number of requests to which the rule was applied. */
  readonly applied: number
  /** The sentence in reports: `Rule 1 (500) was never applied: the client sent no requests.` */
  readonly sentence: string
}

/** Lists the rules that were applied to fewer requests than expected. Omits disabled and random rules. */
export function listUnmet(
  rules: ActiveRules,
  location: Pick<UnmetRule, 'sandbox' | 'scope'>,
  countApplications: (rule: ActiveRule) => number,
  sentCounts: ReadonlyMap<string, number>,
): UnmetRule[] {
  return rules.flatMap((rule, index) => {
    const applied = countApplications(rule)
    const expectedCount = rule.times ?? rule.sequence?.items.reduce((sum, { times }) => sum + times, 0) ?? 1
    if (!rule.enabled || isRandom(rule) || applied >= expectedCount) return []
    const name = `Rule ${index + 1} (${nameAction(rule)}${rule.operation === undefined ? '' : ` on ${rule.operation}`})`
    const sentence =
      applied === 0
        ? `${name} was never applied: the client sent ${describeSent(rule, sentCounts)}.`
        : `${name} covers up to ${expectedCount} requests, but was applied to only ${applied}; ` +
          'the client may have been right to stop.'
    return [{ ...location, index, applied, sentence }]
  })
}

const nameAction = ({ scenarios, sequence }: ActiveRule) =>
  sequence?.text ?? scenarios.map(({ text }) => text).join(', ')

const isRandom = ({ probability, scenarios }: ActiveRule) =>
  probability < 1 || scenarios.some(({ values }) => Number(values['p'] ?? 1) < 1)

function describeSent({ operation }: ActiveRule, sentCounts: ReadonlyMap<string, number>): string {
  const counts = [...sentCounts].map(([id, count]) => `${count} ${id || 'unmatched'} request${count === 1 ? '' : 's'}`)
  if (counts.length === 0) return 'no requests'
  const missing = operation === undefined || sentCounts.has(operation) ? [] : [`no ${operation} requests`]
  const ending = operation !== undefined && sentCounts.has(operation) ? ', to which the rule did not apply' : ''
  return joinWords([...counts, ...missing]) + ending
}
