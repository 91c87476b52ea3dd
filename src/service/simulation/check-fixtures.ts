import { joinPointer } from '../../base/core/json-pointer.ts'
import { DETECTION_FIELDS, type Persona } from './persona.ts'
import { listPlaceholders, type Phrases } from './phrases.ts'
import { ISSUE_RULES, type Measure, RECOMMENDATION_RULES, STRENGTH_RULES } from './rules.ts'
import { COMMON_WORDING } from './wording.ts'

/** A fault of a fixture. */
export interface FixtureProblem {
  /** The JSON pointer whose first token is the file: `/personas/0/weight`. */
  readonly pointer: string
  /** A sentence without its subject. */
  readonly message: string
}

/** Checks the rules for personas that no schema can express. Returns an empty list if no rule is broken. */
export function checkPersonas(personas: readonly Persona[]): FixtureProblem[] {
  const problems = personas.flatMap(({ traffic: { cycle } }, index): FixtureProblem[] => {
    if (!cycle || cycle.silentDays < cycle.days) return []
    const message = `must be less than the ${cycle.days} days of the cycle, or there is never any traffic`
    return [{ pointer: `/personas/${index}/traffic/cycle/silentDays`, message }]
  })
  if (personas.every(({ weight }) => weight === 0)) {
    problems.push({ pointer: '/personas/0/weight', message: 'at least one persona must have a weight above 0' })
  }
  return problems
}

/** Checks that every rule has phrases, every phrase a rule, and every placeholder a value. Returns the problems. */
export function checkPhrases(phrases: Phrases): FixtureProblem[] {
  const { summary, outlook, issues, strengths, recommendations } = phrases
  return [
    ...checkRuleIds('/phrases/issues', issues, ISSUE_RULES),
    ...checkRuleIds('/phrases/strengths', strengths, STRENGTH_RULES),
    ...checkRuleIds('/phrases/recommendations', recommendations, RECOMMENDATION_RULES),
    ...checkPlaceholders('/phrases/summary/healthy', summary.healthy, []),
    ...checkPlaceholders('/phrases/summary/needs_attention', summary.needs_attention, ['issues']),
    ...checkPlaceholders('/phrases/summary/critical', summary.critical, ['issues']),
    ...checkPlaceholders('/phrases/outlook', outlook, []),
    ...ISSUE_RULES.flatMap(({ id, measure }) =>
      checkPlaceholders(`/phrases/issues/${id}`, issues[id], listFigures(measure)),
    ),
    ...STRENGTH_RULES.flatMap(({ id, measure }) =>
      checkPlaceholders(`/phrases/strengths/${id}`, strengths[id], listFigures(measure)),
    ),
    ...RECOMMENDATION_RULES.flatMap(({ id }) =>
      checkPlaceholders(`/phrases/recommendations/${id}`, recommendations[id], ['pattern']),
    ),
  ]
}

function checkRuleIds(pointer: string, phrases: object, rules: readonly { readonly id: string }[]): FixtureProblem[] {
  const known = rules.map(({ id }) => id)
  const given = Object.keys(phrases)
  const problem = (id: string, message: string) => ({ pointer: joinPointer(pointer, id), message })
  return [
    ...known.filter((id) => !given.includes(id)).map((id) => problem(id, `the rule "${id}" has no phrases`)),
    ...given
      .filter((id) => !known.includes(id))
      .map((id) => problem(id, `there is no such rule; known: ${known.join(', ')}`)),
  ]
}

/** Returns the placeholders that the phrases about a rule may use besides the common ones. */
function listFigures(measure: Measure): string[] {
  const isDetection = DETECTION_FIELDS.some((field) => field === measure)
  return isDetection ? ['number', 'threshold', 'count'] : ['number', 'threshold']
}

/** Checks all phrases within a value. `own`: the placeholders that they may use besides the common ones. */
function checkPlaceholders(pointer: string, phrases: unknown, own: readonly string[]): FixtureProblem[] {
  if (typeof phrases !== 'string')
    return Object.entries(phrases ?? {}).flatMap(([name, value]) =>
      checkPlaceholders(joinPointer(pointer, name), value, own),
    )
  const known = [...own, ...Object.keys(COMMON_WORDING)]
  const messages = listPlaceholders(phrases)
    .filter((name) => !known.includes(name))
    .map((name) => `{{${name}}} has no meaning here; known: ${known.join(', ')}`)
  const rest = phrases.replace(/\{\{[^{}]*\}\}/g, '')
  if (/[{}]/.test(rest)) messages.push('a brace stands alone; placeholders are {{name}}')
  return messages.map((message) => ({ pointer, message }))
}
