import type { Flaw } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { DETECTION_FIELDS, type Persona } from './persona.ts'
import { listPlaceholders, type Phrases } from './phrases.ts'
import { ISSUE_RULES, type Measure, RECOMMENDATION_RULES, STRENGTH_RULES } from './rules.ts'
import { COMMON_WORDING } from './wording.ts'

/** Checks the constraints on personas that a schema cannot express. The first token of each pointer names the file. */
export function checkPersonas(personas: readonly Persona[]): Flaw[] {
  const problems = personas.flatMap(({ traffic: { cycle } }, index): Flaw[] => {
    if (!cycle || cycle.silentDays < cycle.days) return []
    const message = `must be less than the cycle's "days" (${cycle.days}); otherwise, there is never any traffic`
    return [{ pointer: `/personas/${index}/traffic/cycle/silentDays`, message }]
  })
  if (personas.every(({ weight }) => weight === 0)) {
    problems.push({ pointer: '/personas/0/weight', message: 'is 0; at least one persona must have a weight above 0' })
  }
  return problems
}

/** Checks that every rule has phrases, that unknown rules have none, and that all placeholders are valid. */
export function checkPhrases({ summary, outlook, ...rulePhrases }: Phrases): Flaw[] {
  return [
    ...checkRulePhrases('/phrases/issues', rulePhrases.issues, ISSUE_RULES),
    ...checkRulePhrases('/phrases/strengths', rulePhrases.strengths, STRENGTH_RULES),
    ...checkRulePhrases('/phrases/recommendations', rulePhrases.recommendations, RECOMMENDATION_RULES),
    ...checkPlaceholders('/phrases/summary/healthy', summary.healthy, []),
    ...checkPlaceholders('/phrases/summary/needs_attention', summary.needs_attention, ['issues']),
    ...checkPlaceholders('/phrases/summary/critical', summary.critical, ['issues']),
    ...checkPlaceholders('/phrases/outlook', outlook, []),
  ]
}

function checkRulePhrases(
  pointer: string,
  phrases: Readonly<Record<string, unknown>>,
  rules: readonly { readonly id: string; readonly measure?: Measure }[],
): Flaw[] {
  const known = rules.map(({ id }) => id)
  const unknown = Object.keys(phrases).filter((id) => !known.includes(id))
  return [
    ...rules.flatMap(({ id, measure }) => {
      const at = joinPointer(pointer, id)
      if (!(id in phrases)) return [{ pointer: at, message: `is missing; the rule "${id}" needs phrases` }]
      return checkPlaceholders(at, phrases[id], measure ? listRulePlaceholders(measure) : ['pattern'])
    }),
    ...unknown.map((id) => ({
      pointer: joinPointer(pointer, id),
      message: `is not the ID of a rule; known: ${known.join(', ')}`,
    })),
  ]
}

function listRulePlaceholders(measure: Measure): string[] {
  const isDetection = DETECTION_FIELDS.some((field) => field === measure)
  return isDetection ? ['number', 'threshold', 'count'] : ['number', 'threshold']
}

/** Checks all phrases within a value. `ownNames` lists the placeholders allowed in addition to the common ones. */
function checkPlaceholders(pointer: string, phrases: unknown, ownNames: readonly string[]): Flaw[] {
  if (typeof phrases !== 'string')
    return Object.entries(phrases ?? {}).flatMap(([name, value]) =>
      checkPlaceholders(joinPointer(pointer, name), value, ownNames),
    )
  const known = [...ownNames, ...Object.keys(COMMON_WORDING)]
  const messages = listPlaceholders(phrases)
    .filter((name) => !known.includes(name))
    .map((name) => `cannot use the placeholder {{${name}}}; known here: ${known.join(', ')}`)
  const rest = phrases.replace(/\{\{[^{}]*\}\}/g, '')
  if (/[{}]/.test(rest)) messages.push('has a brace outside a placeholder; placeholders are written {{name}}')
  return messages.map((message) => ({ pointer, message }))
}
