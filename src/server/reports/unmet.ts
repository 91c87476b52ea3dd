import type { ActiveRule, ActiveRules } from '../../service/scenarios/rules.ts'

/** A rule that was applied to no request, or to fewer requests than expected. This need not be a problem. */
export interface UnmetRule {
  readonly sandbox: string
  readonly scope: 'sandbox' | 'startup'
  /** The index of the rule in its scope, from 0. */
  readonly index: number
  /** The number of requests to which the rule was applied. */
  readonly applied: number
  /** What happened instead: `Rule 1 (500) was never applied: the client sent no request.` */
  readonly sentence: string
}

/** Lists the rules that were applied to too few requests. `sent`: the number of requests by operation. */
export function listUnmet(
  rules: ActiveRules,
  location: Pick<UnmetRule, 'sandbox' | 'scope'>,
  countApplications: (rule: ActiveRule, index: number) => number,
  sent: ReadonlyMap<string, number>,
): UnmetRule[] {
  return rules.flatMap((rule, index) => {
    const applied = countApplications(rule, index)
    const expectedCount = rule.times ?? rule.sequence?.items.reduce((sum, { times }) => sum + times, 0) ?? 1
    if (!rule.enabled || isByChance(rule) || applied >= expectedCount) return []
    const name = `Rule ${index + 1} (${nameAction(rule)}${rule.operation === undefined ? '' : ` on ${rule.operation}`})`
    const sentence =
      applied === 0
        ? `${name} was never applied: the client sent ${describeSent(rule, sent)}.`
        : `${name} was applied to ${applied} of ${expectedCount} requests; the client may have been right to stop.`
    return [{ ...location, index, applied, sentence }]
  })
}

const nameAction = ({ scenarios, sequence }: ActiveRule) =>
  sequence?.text ?? scenarios.map(({ text }) => text).join(', ')

const isByChance = ({ probability, scenarios }: ActiveRule) =>
  probability < 1 || scenarios.some(({ values }) => Number(values['p'] ?? 1) < 1)

function describeSent({ operation }: ActiveRule, sent: ReadonlyMap<string, number>): string {
  const counts = [...sent].map(([name, count]) => `${count} ${name || `unmatched request${count === 1 ? '' : 's'}`}`)
  if (counts.length === 0) return 'no request'
  const missing = operation === undefined || sent.has(operation) ? [] : [`no ${operation}`]
  const others = operation !== undefined && sent.has(operation) ? ', none of which the rule applied to' : ''
  return [...counts, ...missing].join(' and ') + others
}
