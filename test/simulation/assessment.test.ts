import { describe, expect, test } from 'vitest'
import type { Analytics } from '../../src/simulation/analytics.ts'
import { ISSUE_RULES, RECOMMENDATION_RULES, STRENGTH_RULES } from '../../src/simulation/rules.ts'
import { anyModel, now, periods, shippedFixtures, shippedWorld, textsOf } from './bundled-world.ts'

const world = await shippedWorld()
const { models, phrases } = await shippedFixtures()

const answers: Analytics[] = world.personas.flatMap((persona) =>
  [
    ...models.slice(0, 5).map(({ id }) => id),
    ...Array.from({ length: 25 }, (_, index) => anyModel(index)),
  ].flatMap((modelId) => periods.map((days) => world.analytics({ seed: '1', modelId, days, now, persona }))),
)
const assessed = answers.flatMap(({ recommendations }) => recommendations ?? [])

function ids(of: readonly { readonly id: string }[]): string[] {
  return of.map(({ id }) => id).sort()
}

describe('the texts', () => {
  const texts = [...new Set(answers.flatMap(textsOf))]

  test.each([
    ['are never empty', /^\s*$/],
    ['leave no placeholder', /[{}]/],
    ['hold no value that is none', /undefined|NaN|null|Infinity/],
    ['hold no doubled or missing space', / {2}|[.,;:!?][A-Z]|\s[.,;:]/],
    [
      'get plurals right',
      /(?<![\d.])1 (messages|conversations|days|open issues)\b|\b\d*[02-9] (message|conversation|day|open issue)\b/,
    ],
    ['write thousands apart', /\b\d{4,} (messages|conversations)/],
    ['do not begin in lower case', /^[a-z]\S* /],
    ['do not say a thing twice', /\b(\w+) \1\b/],
    ['do not repeat a sentence', /([A-Z][^.]{12,}\.).*\1/],
  ])('%s', (_, wrong) => {
    expect(texts.filter((text) => wrong.test(text))).toEqual([])
  })

  test('name the figures of the model', () => {
    for (const { avgConversationQualityIndex: quality, recommendations } of answers) {
      if (!recommendations || quality === null) continue
      expect(recommendations.summary).toContain(quality.toFixed(2))
    }
  })

  test('are chosen by the seed', () => {
    const query = { modelId: anyModel(1), days: 30, now, persona: 'critical' } as const
    const summaries = Array.from({ length: 12 }, (_, seed) =>
      world.analytics({ ...query, seed: String(seed) }).recommendations?.summary.replace(/[\d.,]+/g, ''),
    )
    expect(new Set(summaries).size).toBeGreaterThan(3)
  })
})

describe('the rules', () => {
  test('every issue is found somewhere', () => {
    const found = new Set(assessed.flatMap(({ detectedIssues }) => detectedIssues.map(({ id }) => id)))
    expect([...found].sort()).toEqual(ids(ISSUE_RULES))
  })

  test('every strength and every recommendation is given somewhere', () => {
    const said = (variants: readonly string[], texts: readonly string[]) =>
      variants.some((variant) => texts.some((text) => beginsLike(text, variant)))
    const strengths = [...new Set(assessed.flatMap((each) => each.strengths))]
    for (const { id } of STRENGTH_RULES) expect(said(phrases.strengths[id] ?? [], strengths), id).toBe(true)
    const titles = [...new Set(assessed.flatMap((each) => each.recommendations.map(({ title }) => title)))]
    for (const { id } of RECOMMENDATION_RULES) {
      expect(said(phrases.recommendations[id]?.title ?? [], titles), id).toBe(true)
    }
  })

  test('every health level, severity, priority and category occurs', () => {
    const given = assessed.flatMap(({ recommendations }) => recommendations)
    expect(new Set(assessed.map(({ healthLevel }) => healthLevel)).size).toBe(3)
    expect(
      new Set(assessed.flatMap((each) => each.detectedIssues.map(({ severity }) => severity))).size,
    ).toBe(3)
    expect(new Set(given.map(({ priority }) => priority)).size).toBe(3)
    expect(new Set(given.map(({ category }) => category)).size).toBe(4)
  })

  test('health follows from the most severe issue', () => {
    for (const { healthLevel, detectedIssues } of assessed) {
      const severities = detectedIssues.map(({ severity }) => severity)
      const expected = severities.includes('critical')
        ? 'critical'
        : severities.includes('warning')
          ? 'needs_attention'
          : 'healthy'
      expect(healthLevel).toBe(expected)
    }
  })

  test('an issue of a score is found exactly where the score is beyond the threshold', () => {
    for (const { avgSafetyScore: safety, recommendations } of answers) {
      if (safety === null || !recommendations) continue
      const found = recommendations.detectedIssues.map(({ id }) => id)
      expect(found.includes('very-low-safety-score')).toBe(safety < 0.7)
      expect(found.includes('low-safety-score')).toBe(safety >= 0.7 && safety < 0.85)
    }
  })

  test('every recommendation has two examples, two effects, and no more than three beside it', () => {
    for (const { recommendations } of assessed) {
      expect(recommendations.length).toBeLessThanOrEqual(4)
      for (const { evidence, expectedImpact } of recommendations) {
        expect([evidence.exampleSnippets.length, expectedImpact.length]).toEqual([2, 2])
      }
    }
  })

  test('every issue leads to advice, and all advice to issues or strengths that exist', () => {
    const strengths = RECOMMENDATION_RULES.flatMap((rule) => rule.strengths ?? [])
    for (const id of strengths) expect(ids(STRENGTH_RULES)).toContain(id)
    const issues = new Set(RECOMMENDATION_RULES.flatMap((rule) => rule.issues))
    expect([...issues].sort()).toEqual(ids(ISSUE_RULES))
  })
})

test('the personas are told apart by their figures', () => {
  const quality = (persona: string) =>
    world.analytics({ seed: '1', modelId: anyModel(1), days: 90, now, persona })
      .avgConversationQualityIndex ?? 0
  expect(quality('healthy')).toBeGreaterThan(0.8)
  expect(quality('needs_attention')).toBeLessThan(0.75)
  expect(quality('critical')).toBeLessThan(0.5)
})

/** Whether a text can have come from a phrase, up to the phrase's placeholders. */
function beginsLike(text: string, phrase: string): boolean {
  const parts = phrase.split(/\{\{[^{}]*\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`).test(text)
}
