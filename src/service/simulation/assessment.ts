import type { Recommendation, Recommendations } from './analytics.ts'
import { type Measurements, measurePeriod, type PeriodTotals } from './period.ts'
import {
  chooseTwoVariants,
  chooseVariant,
  fillPlaceholders,
  type Phrases,
  type Variants,
  type Wording,
} from './phrases.ts'
import {
  HEALTH_OF,
  ISSUE_RULES,
  MAX_RECOMMENDATIONS,
  type Measure,
  MIN_CONVERSATIONS,
  meets,
  PRIORITY_OF,
  RECOMMENDATION_RULES,
  type RecommendationRule,
  STRENGTH_RULES,
} from './rules.ts'
import { type AssessedModel, COMMON_WORDING, formatCount, ruleWording } from './wording.ts'

type PhraseWriter = ReturnType<typeof createPhraseWriter>
type Issue = ReturnType<typeof findIssues>[number]
type Strength = ReturnType<typeof findStrengths>[number]

/** Applies the rules to the totals of a period. Returns null for fewer than `MIN_CONVERSATIONS` conversations. */
export function assess(model: AssessedModel, totals: PeriodTotals, phrases: Phrases): Recommendations | null {
  if (totals.conversations < MIN_CONVERSATIONS) return null
  const measurements = measurePeriod(totals)
  const writer = createPhraseWriter(model, phrases, totals)
  const issues = findIssues(totals, measurements, writer)
  const strengths = findStrengths(totals, measurements, writer)
  const healthLevel = HEALTH_OF[issues[0]?.severity ?? 'info']
  return {
    summary: summarize(healthLevel, issues, writer),
    healthLevel,
    strengths: strengths.map(({ sentence }) => sentence),
    recommendations: chooseRecommendations(issues, strengths, writer),
    detectedIssues: issues.map(({ id, severity, title }) => ({ id, severity, title })),
  }
}

/** Creates a phrase writer. Seed, model and each call's `key` (such as `low-growth title`) determine the variant. */
function createPhraseWriter(model: AssessedModel, phrases: Phrases, totals: PeriodTotals) {
  const { seed, modelId } = model
  const fill = (phrase: string, wording: Wording) =>
    fillPlaceholders(phrase, (name) => wording[name] ?? COMMON_WORDING[name]?.(totals, model))
  return {
    phrases,
    write: (variants: Variants, key: string, wording: Wording = {}) =>
      fill(chooseVariant(variants, seed, modelId, key), wording),
    writeTwo: (variants: Variants, key: string, wording: Wording) =>
      chooseTwoVariants(variants, seed, modelId, key).map((phrase) => fill(phrase, wording)),
  }
}

const SEVERITIES = ['critical', 'warning', 'info'] as const

/** Finds the issues, most severe first. Of several rules with the same measure, only the first that is met counts. */
function findIssues(totals: PeriodTotals, measurements: Measurements, writer: PhraseWriter) {
  const met = ISSUE_RULES.filter((rule) => meets(rule, measurements[rule.measure]))
  const firstPerMeasure = met.filter((rule) => met.find(({ measure }) => measure === rule.measure) === rule)
  const sorted = SEVERITIES.flatMap((severity) => firstPerMeasure.filter((rule) => rule.severity === severity))
  return sorted.map(({ id, severity, measure, threshold }) => {
    const phrases = requirePhrases(writer.phrases.issues, id)
    const wording = ruleWording(measure, measurements[measure] ?? 0, threshold, totals)
    const title = writer.write(phrases.title, `${id} title`, wording)
    return { id, severity, measure, title, sentence: writer.write(phrases.pattern, `${id} pattern`, wording) }
  })
}

function findStrengths(totals: PeriodTotals, measurements: Measurements, writer: PhraseWriter) {
  return STRENGTH_RULES.flatMap((rule) => {
    const value = measurements[rule.measure]
    if (!meets(rule, value)) return []
    const { id, measure, threshold } = rule
    const wording = ruleWording(measure, value, threshold, totals)
    return [{ id, sentence: writer.write(requirePhrases(writer.phrases.strengths, id), `${id} strength`, wording) }]
  })
}

/** The measures that the `summary` and `outlook` phrases mention in every summary. */
const ALWAYS_SUMMARIZED: readonly Measure[] = ['avgConversationQualityIndex', 'qualityChange', 'worstDayGap']

function summarize(level: Recommendations['healthLevel'], issues: readonly Issue[], writer: PhraseWriter): string {
  const issueToMention = issues.find(
    ({ severity, measure }) => HEALTH_OF[severity] === level && !ALWAYS_SUMMARIZED.includes(measure),
  )
  const wording = { issues: formatCount(issues.length, 'open issue') }
  const outlook = writer.write(writer.phrases.outlook, 'outlook')
  const sentences = [writer.write(writer.phrases.summary[level], 'summary', wording)]
  if (issueToMention && level !== 'healthy') sentences.push(issueToMention.sentence)
  return [...sentences, outlook].join(' ')
}

const PRIORITIES = ['high', 'medium', 'low'] as const

/** Chooses recommendations, each based on its rule's most severe issue or, without one, on all the rule's strengths. */
function chooseRecommendations(issues: readonly Issue[], strengths: readonly Strength[], writer: PhraseWriter) {
  const recommendations = RECOMMENDATION_RULES.flatMap((rule) => {
    const issue = issues.find(({ id }) => rule.issues.includes(id))
    const reasons = issue ? [issue] : strengths.filter(({ id }) => rule.strengths?.includes(id))
    if (!issue && reasons.length !== rule.strengths?.length) return []
    const pattern = reasons.map(({ sentence }) => sentence).join(' ')
    return [writeRecommendation(rule, issue ? PRIORITY_OF[issue.severity] : 'low', pattern, writer)]
  })
  const sorted = PRIORITIES.flatMap((priority) => recommendations.filter((each) => each.priority === priority))
  return sorted.slice(0, MAX_RECOMMENDATIONS)
}

function writeRecommendation(
  { id, category }: RecommendationRule,
  priority: Recommendation['priority'],
  pattern: string,
  writer: PhraseWriter,
): Recommendation {
  const phrases = requirePhrases(writer.phrases.recommendations, id)
  const wording = { pattern }
  const write = (part: 'title' | 'action' | 'whyThisMatters' | 'observedPattern') =>
    writer.write(phrases[part], `${id} ${part}`, wording)
  return {
    title: write('title'),
    action: write('action'),
    rationale: {
      whyThisMatters: write('whyThisMatters'),
      observedPattern: write('observedPattern'),
      ...(phrases.tradeoff && { tradeoff: writer.write(phrases.tradeoff, `${id} tradeoff`, wording) }),
    },
    evidence: { exampleSnippets: writer.writeTwo(phrases.exampleSnippets, `${id} snippets`, wording) },
    expectedImpact: writer.writeTwo(phrases.expectedImpact, `${id} impact`, wording),
    priority,
    category,
  }
}

/** Returns the phrases for a rule. Throws if there are none, which `checkPhrases` rules out. */
function requirePhrases<Value>(entries: Readonly<Record<string, Value>>, id: string): Value {
  const entry = entries[id]
  if (entry === undefined) throw new Error(`phrases.yaml has no phrases for "${id}"`)
  return entry
}
