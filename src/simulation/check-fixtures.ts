import type { Persona } from './persona.ts'
import { COMMON_PLACEHOLDERS, listPhrasePlaces, listPlaceholders, type PhrasePlace, type Phrases } from './phrases.ts'

/** A fault of a fixture. `path`: the keys and indices that lead to it. */
export interface FixtureProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Checks the rules for personas that no schema can express. Returns an empty list if no rule is broken. */
export function checkPersonas(personas: readonly Persona[]): FixtureProblem[] {
  const problems = personas.flatMap(({ traffic: { cycle } }, index): FixtureProblem[] => {
    if (!cycle || cycle.silentDays < cycle.days) return []
    const message = `must be less than the ${cycle.days} days of the cycle, or there is never any traffic`
    return [{ path: [index, 'traffic', 'cycle', 'silentDays'], message }]
  })
  if (personas.every(({ weight }) => weight === 0)) {
    problems.push({ path: [0, 'weight'], message: 'at least one persona must have a weight above 0' })
  }
  return problems
}

/** Checks that every rule has phrases, every phrase a rule, and every placeholder a value. Returns the problems. */
export function checkPhrases(phrases: Phrases): FixtureProblem[] {
  const places = listPhrasePlaces()
  const missing = findMissingPhrases(phrases, places)
  return [
    ...missing,
    ...findUnusedPhrases(phrases, places),
    ...places.flatMap((place) => checkPlaceholders(phrases, place)),
  ]
}

const BY_RULE = ['issues', 'strengths', 'recommendations'] as const

function findMissingPhrases(phrases: Phrases, places: readonly PhrasePlace[]): FixtureProblem[] {
  return BY_RULE.flatMap((group) =>
    ruleIdsIn(group, places)
      .filter((id) => !Object.hasOwn(phrases[group], id))
      .map((id) => ({ path: [group, id], message: `the rule "${id}" has no phrases` })),
  )
}

function findUnusedPhrases(phrases: Phrases, places: readonly PhrasePlace[]): FixtureProblem[] {
  return BY_RULE.flatMap((group) => {
    const rules = ruleIdsIn(group, places)
    return Object.keys(phrases[group])
      .filter((id) => !rules.includes(id))
      .map((id) => ({ path: [group, id], message: `there is no such rule; known: ${rules.join(', ')}` }))
  })
}

function ruleIdsIn(group: string, places: readonly PhrasePlace[]): string[] {
  return [...new Set(places.flatMap(({ path }) => (path[0] === group ? [path[1] ?? ''] : [])))]
}

function checkPlaceholders(phrases: Phrases, { path, placeholders }: PhrasePlace): FixtureProblem[] {
  const known: readonly string[] = [...placeholders, ...COMMON_PLACEHOLDERS]
  return variantsAt(phrases, path).flatMap((phrase, index) =>
    findPlaceholderErrors(phrase, known).map((message) => ({ path: [...path, index], message })),
  )
}

function findPlaceholderErrors(phrase: string, known: readonly string[]): string[] {
  const problems = listPlaceholders(phrase)
    .filter((name) => !known.includes(name))
    .map((name) => `{{${name}}} has no meaning here; known: ${known.join(', ')}`)
  const rest = phrase.replace(/\{\{[^{}]*\}\}/g, '')
  return /[{}]/.test(rest) ? [...problems, 'a brace stands alone; placeholders are {{name}}'] : problems
}

function variantsAt(phrases: Phrases, path: readonly string[]): readonly string[] {
  let at: unknown = phrases
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return []
    at = Reflect.get(at, key)
  }
  return Array.isArray(at) ? at : []
}
