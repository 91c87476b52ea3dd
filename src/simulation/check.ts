import type { Persona } from './persona.ts'
import {
  COMMON_PLACEHOLDERS,
  type PhrasePlace,
  type Phrases,
  phrasePlaces,
  placeholdersIn,
} from './phrases.ts'

/** What is wrong with a fixture, and where: the keys and indices that lead to it. */
export interface FixtureProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** What no schema can say of personas. */
export function personaFaults(personas: readonly Persona[]): FixtureProblem[] {
  const faults: FixtureProblem[] = personas.flatMap(({ traffic: { cycle } }, index) =>
    cycle && cycle.silentDays >= cycle.days
      ? [
          {
            path: [index, 'traffic', 'cycle', 'silentDays'],
            message: `must be less than the ${cycle.days} days of the cycle, or there is never any traffic`,
          },
        ]
      : [],
  )
  if (personas.every(({ weight }) => weight === 0)) {
    faults.push({ path: [0, 'weight'], message: 'at least one persona must have a weight above 0' })
  }
  return faults
}

/** Every rule needs its phrases, every phrase its rule, and every placeholder its figure. */
export function phraseFaults(phrases: Phrases): FixtureProblem[] {
  const places = phrasePlaces()
  const gaps = missing(phrases, places)
  return [
    ...gaps,
    ...unused(phrases, places),
    ...places.flatMap((place) => placeholderFaults(phrases, place)),
  ]
}

const BY_RULE = ['issues', 'strengths', 'recommendations'] as const

function missing(phrases: Phrases, places: readonly PhrasePlace[]): FixtureProblem[] {
  return BY_RULE.flatMap((group) =>
    rulesOf(group, places)
      .filter((id) => !Object.hasOwn(phrases[group], id))
      .map((id) => ({ path: [group, id], message: `the rule "${id}" has no phrases` })),
  )
}

function unused(phrases: Phrases, places: readonly PhrasePlace[]): FixtureProblem[] {
  return BY_RULE.flatMap((group) => {
    const rules = rulesOf(group, places)
    return Object.keys(phrases[group])
      .filter((id) => !rules.includes(id))
      .map((id) => ({ path: [group, id], message: `there is no such rule; known: ${rules.join(', ')}` }))
  })
}

function rulesOf(group: string, places: readonly PhrasePlace[]): string[] {
  return [...new Set(places.flatMap(({ path }) => (path[0] === group ? [path[1] ?? ''] : [])))]
}

function placeholderFaults(phrases: Phrases, { path, placeholders }: PhrasePlace): FixtureProblem[] {
  const known: readonly string[] = [...placeholders, ...COMMON_PLACEHOLDERS]
  return variantsAt(phrases, path).flatMap((phrase, index) =>
    problemsOf(phrase, known).map((message) => ({ path: [...path, index], message })),
  )
}

function problemsOf(phrase: string, known: readonly string[]): string[] {
  const problems = placeholdersIn(phrase)
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
