import { describe, expect, test } from 'vitest'
import type { Analytics } from '../../../src/service/simulation/analytics.ts'
import { ISSUE_RULES, RECOMMENDATION_RULES, STRENGTH_RULES } from '../../../src/service/simulation/rules.ts'
import { fixtures, now, periods, simulate, unlistedModel } from './bundled-simulation.ts'

const { models, personas, phrases } = fixtures

const responses: Analytics[] = personas.flatMap(({ name: persona }) =>
  [
    ...models.slice(0, 5).map(({ id }) => id),
    ...Array.from({ length: 25 }, (_, index) => unlistedModel(index)),
  ].flatMap((modelId) => periods.map((days) => simulate({ seed: '1', modelId, days, now, persona }))),
)
const assessments = responses.flatMap(({ recommendations }) => recommendations ?? [])

function sortedIds(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id).sort()
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

describe('the strings in assessments', () => {
  const strings = [...new Set(responses.flatMap(({ recommendations }) => stringsIn(recommendations)))]

  test.each([
    ['are never empty', /^\s*$/],
    ['contain no placeholder', /[{}]/],
    ['contain no missing or infinite value', /undefined|NaN|null|Infinity/],
    ['have no missing or extra spaces', / {2}|[.,;:!?][A-Z]|\s[.,;:]/],
    [
      'use singular and plural forms correctly',
      /(?<![\d.])1 (messages|conversations|days|open issues)\b|\b\d*[02-9] (message|conversation|day|open issue)\b/,
    ],
    ['use thousands separators in counts', /\b\d{4,} (messages|conversations)/],
    ['do not start with a lowercase letter if they contain spaces', /^[a-z]\S* /],
    ['do not contain a word twice in a row', /\b(\w+) \1\b/],
    ['do not repeat a sentence', /([A-Z][^.]{12,}\.).*\1/],
  ])('%s', (_, wrong) => {
    expect(strings.filter((text) => wrong.test(text))).toEqual([])
  })

  test('state the conversation quality in the summary', () => {
    for (const { avgConversationQualityIndex: quality, recommendations } of responses) {
      if (!recommendations || quality === null) continue
      expect(recommendations.summary).toContain(quality.toFixed(2))
    }
  })

  test('depend on the seed', () => {
    const query = { modelId: unlistedModel(1), days: 30, now, persona: 'critical' } as const
    const summaries = Array.from({ length: 12 }, (_, seed) =>
      simulate({ ...query, seed: String(seed) }).recommendations?.summary.replace(/[\d.,]+/g, ''),
    )
    expect(new Set(summaries).size).toBeGreaterThan(3)
  })
})

describe('the rules', () => {
  test('detect each issue in at least one model', () => {
    const found = new Set(assessments.flatMap(({ detectedIssues }) => detectedIssues.map(({ id }) => id)))
    expect([...found].sort()).toEqual(sortedIds(ISSUE_RULES))
  })

  test('use each strength and each recommendation for at least one model', () => {
    const occurs = (variants: readonly string[], strings: readonly string[]) =>
      variants.some((variant) => strings.some((text) => isFilled(text, variant)))
    const strengths = [...new Set(assessments.flatMap((each) => each.strengths))]
    for (const { id } of STRENGTH_RULES) expect(occurs(phrases.strengths[id] ?? [], strengths), id).toBe(true)
    const titles = [...new Set(assessments.flatMap((each) => each.recommendations.map(({ title }) => title)))]
    for (const { id } of RECOMMENDATION_RULES) {
      expect(occurs(phrases.recommendations[id]?.title ?? [], titles), id).toBe(true)
    }
  })

  test('use each health level, severity, priority and category for at least one model', () => {
    const all = assessments.flatMap(({ recommendations }) => recommendations)
    expect(new Set(assessments.map(({ healthLevel }) => healthLevel)).size).toBe(3)
    expect(new Set(assessments.flatMap((each) => each.detectedIssues.map(({ severity }) => severity))).size).toBe(3)
    expect(new Set(all.map(({ priority }) => priority)).size).toBe(3)
    expect(new Set(all.map(({ category }) => category)).size).toBe(4)
  })

  test('derive the health level from the most severe issue and detect no issue twice', () => {
    for (const { healthLevel, detectedIssues } of assessments) {
      const severities = new Set(detectedIssues.map(({ severity }) => severity))
      const healthOtherwise = severities.has('warning') ? 'needs_attention' : 'healthy'
      const expected = severities.has('critical') ? 'critical' : healthOtherwise
      expect(healthLevel).toBe(expected)
      expect(new Set(sortedIds(detectedIssues)).size).toBe(detectedIssues.length)
    }
  })

  test('detect a low or a very low safety score if and only if the score is in the respective range', () => {
    for (const { avgSafetyScore: safety, recommendations } of responses) {
      if (safety === null || !recommendations) continue
      const found = recommendations.detectedIssues.map(({ id }) => id)
      expect(found.includes('very-low-safety-score')).toBe(safety < 0.7)
      expect(found.includes('low-safety-score')).toBe(safety >= 0.7 && safety < 0.85)
    }
  })

  test('give at most four recommendations, each with two example snippets and two expected effects', () => {
    for (const { recommendations } of assessments) {
      expect(recommendations.length).toBeLessThanOrEqual(4)
      for (const { evidence, expectedImpact } of recommendations) {
        expect([evidence.exampleSnippets.length, expectedImpact.length]).toEqual([2, 2])
      }
    }
  })

  test('recommend something for every issue, and only for issues and strengths that exist', () => {
    const strengths = RECOMMENDATION_RULES.flatMap((rule) => rule.strengths ?? [])
    for (const id of strengths) expect(sortedIds(STRENGTH_RULES)).toContain(id)
    const issues = new Set(RECOMMENDATION_RULES.flatMap((rule) => rule.issues))
    expect([...issues].sort()).toEqual(sortedIds(ISSUE_RULES))
  })
})

/** Returns true if the text is the phrase with its placeholders filled in. */
function isFilled(text: string, phrase: string): boolean {
  const parts = phrase.split(/\{\{[^{}]*\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`).test(text)
}
