import type { Recommendations } from './analytics.ts'
import { withSeededRandom } from './random.ts'

/** Alternative phrasings of a statement, from which the seed chooses. `{{name}}` is a placeholder for a value. */
export type Variants = readonly string[]

/** The phrases used in assessments (`fixtures/phrases.yaml`). All records except `summary` are keyed by rule ID. */
export interface Phrases {
  readonly summary: Readonly<Record<Recommendations['healthLevel'], Variants>>
  /** The last sentence of every summary, about the trend over the period. */
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
  readonly exampleSnippets: Variants
  readonly expectedImpact: Variants
}

/** The values of placeholders, by name. */
export type Wording = Readonly<Record<string, string>>

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

export function listPlaceholders(phrase: string): string[] {
  return Array.from(phrase.matchAll(PLACEHOLDER), ([, name = '']) => name.trim())
}

/** Replaces the placeholders in a phrase. Throws if a placeholder has no value, which `checkPhrases` rules out. */
export function fillPlaceholders(phrase: string, findValue: (name: string) => string | undefined): string {
  return phrase.replace(PLACEHOLDER, (_, name: string) => {
    const value = findValue(name.trim())
    if (value === undefined) throw new Error(`no value for {{${name}}} in "${phrase}"`)
    return value
  })
}

/** Chooses a variant, always the same for a given seed, model and key. */
export function chooseVariant(variants: Variants, seed: string, modelId: string, key: string): string {
  return withSeededRandom([seed, modelId, key], (random) => random.helpers.arrayElement(variants))
}

/** Chooses two different variants and returns them in list order. If there is only one variant, returns that one. */
export function chooseTwoVariants(variants: Variants, seed: string, modelId: string, key: string): string[] {
  const first = withSeededRandom([seed, modelId, key], (random) => random.number.int(variants.length - 1))
  const chosen = variants.map((_, index) => (index - first + variants.length) % variants.length < 2)
  return variants.filter((_, index) => chosen[index])
}
