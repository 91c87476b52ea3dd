import type { DetectedIssue, Recommendation, Recommendations } from './analytics.ts'
import { type Measured, measure } from './measure.ts'
import type { PeriodTotals } from './period.ts'
import { choose, chooseSome, fill, type Phrases, type Variants, type Wording } from './phrases.ts'
import {
  HEALTH_OF,
  ISSUE_RULES,
  type IssueRule,
  MAX_RECOMMENDATIONS,
  type Measure,
  MIN_CONVERSATIONS,
  meets,
  PRIORITY_OF,
  RECOMMENDATION_RULES,
  type RecommendationRule,
  STRENGTH_RULES,
} from './rules.ts'
import { type AssessedModel, commonWording, counted, ruleWording } from './wording.ts'

/** Says the variant that the seed chooses for a place. */
interface Speaker {
  say(variants: Variants, place: string, words?: Wording): string
  sayTwo(variants: Variants, place: string, words: Wording): string[]
}

/** A rule that was met, with its sentence. */
interface Found {
  readonly id: string
  readonly sentence: string
}

interface FoundIssue extends Found {
  readonly measure: Measure
  readonly severity: DetectedIssue['severity']
  readonly title: string
}

/** What an analyst makes of the figures, by the rules; null where there are too few conversations to judge. */
export function assess(
  subject: AssessedModel,
  figures: PeriodTotals,
  phrases: Phrases,
): Recommendations | null {
  if (figures.conversations < MIN_CONVERSATIONS) return null
  const measured = measure(figures)
  const speaker = speakerFor(subject, commonWording(subject, figures, measured))
  const issues = findIssues(figures, measured, phrases, speaker)
  const strengths = findStrengths(figures, measured, phrases, speaker)
  const healthLevel = HEALTH_OF[issues[0]?.severity ?? 'info']
  return {
    summary: summarise(healthLevel, issues, phrases, speaker),
    healthLevel,
    strengths: strengths.map(({ sentence }) => sentence),
    recommendations: recommend(issues, strengths, phrases, speaker),
    detectedIssues: issues.map(({ id, severity, title }) => ({ id, severity, title })),
  }
}

function speakerFor({ seed, modelId }: AssessedModel, common: Wording): Speaker {
  return {
    say: (variants, place, words = {}) =>
      fill(choose(variants, seed, modelId, place), { ...common, ...words }),
    sayTwo: (variants, place, words) =>
      chooseSome(variants, 2, seed, modelId, place).map((phrase) => fill(phrase, { ...common, ...words })),
  }
}

const SEVERITIES = ['critical', 'warning', 'info'] as const

/** Most severe first; for one measure only the first rule that is met. */
function findIssues(
  figures: PeriodTotals,
  measured: Measured,
  phrases: Phrases,
  speaker: Speaker,
): FoundIssue[] {
  const seen = new Set<Measure>()
  const met = ISSUE_RULES.filter((rule) => {
    if (seen.has(rule.measure) || !meets(rule, measured[rule.measure])) return false
    seen.add(rule.measure)
    return true
  })
  return SEVERITIES.flatMap((severity) => met.filter((rule) => rule.severity === severity)).map((rule) =>
    describeIssue(
      rule,
      ruleWording(rule.measure, measured[rule.measure] ?? 0, rule.threshold, figures),
      phrases,
      speaker,
    ),
  )
}

function describeIssue(
  { id, severity, measure: about }: IssueRule,
  words: Wording,
  phrases: Phrases,
  speaker: Speaker,
): FoundIssue {
  const said = known(phrases.issues, id)
  return {
    id,
    severity,
    measure: about,
    title: speaker.say(said.title, `${id} title`, words),
    sentence: speaker.say(said.pattern, `${id} pattern`, words),
  }
}

function findStrengths(
  figures: PeriodTotals,
  measured: Measured,
  phrases: Phrases,
  speaker: Speaker,
): Found[] {
  return STRENGTH_RULES.flatMap((rule) => {
    const value = measured[rule.measure]
    if (!meets(rule, value)) return []
    const words = ruleWording(rule.measure, value, rule.threshold, figures)
    return [
      { id: rule.id, sentence: speaker.say(known(phrases.strengths, rule.id), `${rule.id} strength`, words) },
    ]
  })
}

/** What the summary and its outlook tell anyway. */
const TOLD: readonly Measure[] = ['avgConversationQualityIndex', 'qualityChange', 'worstDayGap']

/** The state of the model, the gravest issue, the course of the period. */
function summarise(
  level: Recommendations['healthLevel'],
  issues: readonly FoundIssue[],
  phrases: Phrases,
  speaker: Speaker,
): string {
  const gravest = issues.find(
    ({ severity, measure: about }) => HEALTH_OF[severity] === level && !TOLD.includes(about),
  )
  const words = { issues: counted(issues.length, 'open issue') }
  const outlook = speaker.say(phrases.outlook, 'outlook')
  const sentences = [speaker.say(phrases.summary[level], 'summary', words)]
  if (gravest && level !== 'healthy') sentences.push(gravest.sentence)
  return [...sentences, outlook].join(' ')
}

const PRIORITIES = ['high', 'medium', 'low'] as const

function recommend(
  issues: readonly FoundIssue[],
  strengths: readonly Found[],
  phrases: Phrases,
  speaker: Speaker,
): Recommendation[] {
  const given = RECOMMENDATION_RULES.flatMap((rule) => {
    const reason = reasonFor(rule, issues, strengths)
    return reason ? [phrase(rule, reason, phrases, speaker)] : []
  })
  return PRIORITIES.flatMap((priority) => given.filter((each) => each.priority === priority)).slice(
    0,
    MAX_RECOMMENDATIONS,
  )
}

interface Reason {
  readonly priority: Recommendation['priority']
  readonly pattern: string
}

/** Issues are sorted, so the first that is found is the most severe. */
function reasonFor(
  rule: RecommendationRule,
  issues: readonly FoundIssue[],
  strengths: readonly Found[],
): Reason | undefined {
  const issue = issues.find(({ id }) => rule.issues.includes(id))
  if (issue) return { priority: PRIORITY_OF[issue.severity], pattern: issue.sentence }
  const wanted = rule.strengths ?? []
  const having = strengths.filter(({ id }) => wanted.includes(id))
  if (wanted.length === 0 || having.length < wanted.length) return undefined
  return { priority: 'low', pattern: having.map(({ sentence }) => sentence).join(' ') }
}

function phrase(
  { id, category }: RecommendationRule,
  reason: Reason,
  phrases: Phrases,
  speaker: Speaker,
): Recommendation {
  const said = known(phrases.recommendations, id)
  const words = { pattern: reason.pattern }
  const say = (part: 'title' | 'action' | 'whyThisMatters' | 'observedPattern') =>
    speaker.say(said[part], `${id} ${part}`, words)
  return {
    title: say('title'),
    action: say('action'),
    rationale: {
      whyThisMatters: say('whyThisMatters'),
      observedPattern: say('observedPattern'),
      ...(said.tradeoff && { tradeoff: speaker.say(said.tradeoff, `${id} tradeoff`, words) }),
    },
    evidence: { exampleSnippets: speaker.sayTwo(said.exampleSnippets, `${id} snippets`, words) },
    expectedImpact: speaker.sayTwo(said.expectedImpact, `${id} impact`, words),
    priority: reason.priority,
    category,
  }
}

/** Loading the fixtures has checked that every rule has its phrases. */
function known<Value>(entries: Readonly<Record<string, Value>>, id: string): Value {
  const entry = entries[id]
  if (entry === undefined) throw new Error(`phrases.yaml has nothing for "${id}"`)
  return entry
}
