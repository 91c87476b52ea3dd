import type { Recommendations } from './analytics.ts'
import { draw } from './chance.ts'
import { DETECTION_FIELDS } from './persona.ts'
import { ISSUE_RULES, type Measure, RECOMMENDATION_RULES, STRENGTH_RULES } from './rules.ts'

/** Several ways to say one thing; the seed chooses. `{{name}}` stands for one of the model's own figures. */
export type Variants = readonly string[]

/** What an analyst says (`fixtures/phrases.yaml`), by the ids of the rules. */
export interface Phrases {
  readonly summary: Readonly<Record<Recommendations['healthLevel'], Variants>>
  /** The sentence on the course of the period, which ends the summary. */
  readonly outlook: Variants
  readonly issues: Readonly<Record<string, { readonly title: Variants; readonly pattern: Variants }>>
  readonly strengths: Readonly<Record<string, Variants>>
  readonly recommendations: Readonly<Record<string, RecommendationPhrases>>
}

interface RecommendationPhrases {
  readonly title: Variants
  readonly action: Variants
  readonly whyThisMatters: Variants
  readonly observedPattern: Variants
  readonly tradeoff?: Variants
  /** Two of these are shown. */
  readonly exampleSnippets: Variants
  /** Two of these are shown. */
  readonly expectedImpact: Variants
}

/** Placeholders that every phrase may use: there is no assessment without these figures. */
export const COMMON_PLACEHOLDERS = [
  'model',
  'Model',
  'period',
  'conversations',
  'messages',
  'messagesPerConversation',
  'quality',
  'satisfaction',
  'growth',
  'friction',
  'safety',
  'trend',
  'worstDay',
  'worstQuality',
  'busiestDay',
  'busiestConversations',
  'activeDays',
  'reference',
  'amount',
] as const
export type Placeholder = (typeof COMMON_PLACEHOLDERS)[number]

/** What the placeholders stand for. */
export type Wording = Readonly<Record<string, string>>

/** `{{ name }}`, spaces allowed. */
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g

/** The names of a phrase's placeholders, in order. */
export function placeholdersIn(phrase: string): string[] {
  return Array.from(phrase.matchAll(PLACEHOLDER), ([, name]) => name ?? '')
}

/** Puts the words in; a placeholder without words is a mistake in the fixtures that loading them reports. */
export function fill(phrase: string, wording: Wording): string {
  return phrase.replace(PLACEHOLDER, (_, name: string) => {
    const words = wording[name]
    if (words === undefined) throw new Error(`no words for {{${name}}} in "${phrase}"`)
    return words
  })
}

/** The variant that the seed chooses for this model and place; it stays the same from day to day. */
export function choose(variants: Variants, seed: string, modelId: string, place: string): string {
  return draw([seed, modelId, place], (chance) => chance.helpers.arrayElement(variants))
}

/** `count` different variants, in their order; all of them where there are no more. */
export function chooseSome(
  variants: Variants,
  count: number,
  seed: string,
  modelId: string,
  place: string,
): string[] {
  const first = draw([seed, modelId, place], (chance) => chance.number.int(variants.length - 1))
  const chosen = variants.map((_, index) => (index - first + variants.length) % variants.length < count)
  return variants.filter((_, index) => chosen[index])
}

/** One place of `phrases.yaml` that must be filled, and what may be used there besides the common placeholders. */
export interface PhrasePlace {
  readonly path: readonly string[]
  readonly placeholders: readonly string[]
}

/** Every place where phrases are needed, so that fixtures can be checked before anything is said. */
export function phrasePlaces(): PhrasePlace[] {
  const issues = ISSUE_RULES.flatMap(({ id, measure }) =>
    ['title', 'pattern'].map((part) => ({ path: ['issues', id, part], placeholders: ruleWords(measure) })),
  )
  const strengths = STRENGTH_RULES.map(({ id, measure }) => ({
    path: ['strengths', id],
    placeholders: ruleWords(measure),
  }))
  const recommendations = RECOMMENDATION_RULES.flatMap(({ id }) =>
    RECOMMENDATION_PARTS.map((part) => ({ path: ['recommendations', id, part], placeholders: ['pattern'] })),
  )
  return [
    { path: ['summary', 'healthy'], placeholders: [] },
    { path: ['summary', 'needs_attention'], placeholders: ['issues'] },
    { path: ['summary', 'critical'], placeholders: ['issues'] },
    { path: ['outlook'], placeholders: [] },
    ...issues,
    ...strengths,
    ...recommendations,
  ]
}

/** `tradeoff` may be missing. */
const RECOMMENDATION_PARTS = [
  'title',
  'action',
  'whyThisMatters',
  'observedPattern',
  'tradeoff',
  'exampleSnippets',
  'expectedImpact',
] as const

function ruleWords(measure: Measure): string[] {
  const detections: readonly string[] = DETECTION_FIELDS
  return detections.includes(measure) ? ['figure', 'threshold', 'count'] : ['figure', 'threshold']
}
