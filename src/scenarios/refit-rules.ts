import { canonicalJson } from '../core/json.ts'
import { type ActiveRule, type ActiveRules, type Rule, type RuleContext, readRules } from './rules.ts'

/**
 * Reads active rules again for another contract or catalogue. They keep their keys, and so their counts; a rule that does not fit stays in
 * its place with the reason (`misfit`), and fits again once the contract does.
 */
export function refitRules(rules: ActiveRules, context: RuleContext): ActiveRules {
  return rules.map((rule) => {
    const { misfit: _, ...former } = rule
    const read = readRules({ rules: [rule.source] }, context)
    if (!read.ok) return { ...former, misfit: read.error.map(({ message }) => message).join(' ') }
    return { ...former, ...read.value[0] }
  })
}

/**
 * Gives rules that were loaded again their keys: a rule that was among the former ones keeps its key, and so its counts.
 * `id`: a text that no other rules had.
 */
export function reactivateRules(id: string, rules: readonly Rule[], former: ActiveRules): ActiveRules {
  const free = [...former]
  return rules.map((rule, index): ActiveRule => {
    const text = canonicalJson(rule.source)
    const at = free.findIndex(({ source }) => canonicalJson(source) === text)
    const [same] = at < 0 ? [] : free.splice(at, 1)
    return { ...rule, key: same?.key ?? `${id} ${index}` }
  })
}
