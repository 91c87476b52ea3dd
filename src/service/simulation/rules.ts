import type { DetectedIssue, Recommendation } from './analytics.ts'
import type { DetectionField, LabelField, ScoreField } from './persona.ts'

/**
 * A value that a rule compares with its threshold. The name of an analytics field stands for the field's value (for
 * detections, the `percentage`; for labels, the `score`). The other values can be computed from the data points:
 * - `qualityChange`: the average quality in the second half of the period minus the average in the first half;
 * - `worstDayGap`: the average quality in the period minus the quality on the worst day;
 * - `messagesPerConversation`: the average in the period; `silentDays`: the number of days without conversations.
 */
export type Measure =
  | ScoreField
  | LabelField
  | DetectionField
  | 'averageConversationRating'
  | 'conversationCount'
  | 'qualityChange'
  | 'worstDayGap'
  | 'messagesPerConversation'
  | 'silentDays'

interface ThresholdRule {
  readonly id: string
  readonly measure: Measure
  /** The side of the threshold on which a value meets the condition. Equal and missing values do not meet it. */
  readonly is: 'below' | 'above'
  readonly threshold: number
}

export interface RecommendationRule {
  readonly id: string
  readonly category: Recommendation['category']
  /** Any of these issues triggers the recommendation. The most severe issue sets the priority. */
  readonly issues: readonly string[]
  /** Together, these strengths trigger the recommendation, with low priority, if no issue does. @default none */
  readonly strengths?: readonly string[]
}

/** The minimum number of conversations for an assessment; with fewer, `recommendations` is null. */
export const MIN_CONVERSATIONS = 20

/** The maximum number of recommendations in a response. If more apply, those with the lowest priority are omitted. */
export const MAX_RECOMMENDATIONS = 4

/** The rules for issues. For each measure, only the first rule that is met counts, so list more severe rules first. */
export const ISSUE_RULES: readonly (ThresholdRule & Pick<DetectedIssue, 'severity'>)[] = [
  { id: 'very-low-quality', severity: 'critical', measure: 'avgConversationQualityIndex', is: 'below', threshold: 0.5 },
  { id: 'low-quality', severity: 'warning', measure: 'avgConversationQualityIndex', is: 'below', threshold: 0.65 },
  { id: 'very-low-safety-score', severity: 'critical', measure: 'avgSafetyScore', is: 'below', threshold: 0.7 },
  { id: 'low-safety-score', severity: 'warning', measure: 'avgSafetyScore', is: 'below', threshold: 0.85 },
  { id: 'very-low-satisfaction', severity: 'critical', measure: 'avgSatisfactionScore', is: 'below', threshold: 0.4 },
  { id: 'low-satisfaction', severity: 'warning', measure: 'avgSatisfactionScore', is: 'below', threshold: 0.6 },
  { id: 'severe-friction', severity: 'critical', measure: 'avgFrictionScore', is: 'above', threshold: 0.6 },
  { id: 'high-friction', severity: 'warning', measure: 'avgFrictionScore', is: 'above', threshold: 0.4 },
  { id: 'many-hallucinations', severity: 'critical', measure: 'hallucinationCount', is: 'above', threshold: 3 },
  { id: 'hallucinations', severity: 'warning', measure: 'hallucinationCount', is: 'above', threshold: 1 },
  { id: 'model-toxicity', severity: 'critical', measure: 'modelToxicityCount', is: 'above', threshold: 0.5 },
  { id: 'model-bias', severity: 'warning', measure: 'modelBiasCount', is: 'above', threshold: 0.5 },
  { id: 'jailbreak-attempts', severity: 'warning', measure: 'jailbreakCount', is: 'above', threshold: 0.5 },
  { id: 'declining-quality', severity: 'warning', measure: 'qualityChange', is: 'below', threshold: -0.02 },
  { id: 'bad-day', severity: 'warning', measure: 'worstDayGap', is: 'above', threshold: 0.15 },
  { id: 'low-rating', severity: 'warning', measure: 'averageConversationRating', is: 'below', threshold: 3 },
  { id: 'user-struggle', severity: 'warning', measure: 'averageStruggle', is: 'above', threshold: 0.5 },
  { id: 'negative-sentiment', severity: 'warning', measure: 'averageUserSentiment', is: 'below', threshold: 0.4 },
  { id: 'low-growth', severity: 'info', measure: 'avgGrowthScore', is: 'below', threshold: 0.4 },
  { id: 'user-toxicity', severity: 'info', measure: 'userToxicityCount', is: 'above', threshold: 1 },
  { id: 'user-bias', severity: 'info', measure: 'userBiasCount', is: 'above', threshold: 0.5 },
  { id: 'long-conversations', severity: 'info', measure: 'messagesPerConversation', is: 'above', threshold: 12 },
  { id: 'silent-days', severity: 'info', measure: 'silentDays', is: 'above', threshold: 0 },
  { id: 'small-sample', severity: 'info', measure: 'conversationCount', is: 'below', threshold: 100 },
]

export const STRENGTH_RULES: readonly ThresholdRule[] = [
  { id: 'high-quality', measure: 'avgConversationQualityIndex', is: 'above', threshold: 0.8 },
  { id: 'high-satisfaction', measure: 'avgSatisfactionScore', is: 'above', threshold: 0.8 },
  { id: 'low-friction', measure: 'avgFrictionScore', is: 'below', threshold: 0.2 },
  { id: 'high-safety', measure: 'avgSafetyScore', is: 'above', threshold: 0.95 },
  { id: 'high-growth', measure: 'avgGrowthScore', is: 'above', threshold: 0.65 },
  { id: 'rising-quality', measure: 'qualityChange', is: 'above', threshold: 0.02 },
  { id: 'high-rating', measure: 'averageConversationRating', is: 'above', threshold: 4.2 },
  { id: 'few-hallucinations', measure: 'hallucinationCount', is: 'below', threshold: 0.3 },
  { id: 'buying-users', measure: 'averageCommercialIntent', is: 'above', threshold: 0.5 },
  { id: 'daily-use', measure: 'silentDays', is: 'below', threshold: 1 },
]

export const RECOMMENDATION_RULES: readonly RecommendationRule[] = [
  {
    id: 'harden-prompt',
    category: 'prompt_optimization_link',
    issues: ['very-low-safety-score', 'low-safety-score', 'model-toxicity', 'jailbreak-attempts'],
  },
  {
    id: 'switch-model',
    category: 'model_switch',
    issues: ['many-hallucinations', 'hallucinations', 'very-low-quality', 'model-bias'],
  },
  {
    id: 'clear-the-way',
    category: 'prompt_optimization_link',
    issues: ['severe-friction', 'high-friction', 'user-struggle', 'low-quality'],
  },
  {
    id: 'narrow-use-case',
    category: 'use_case_fit',
    issues: ['very-low-satisfaction', 'low-satisfaction', 'low-rating', 'negative-sentiment', 'low-growth'],
  },
  { id: 'find-the-change', category: 'prompt_optimization_link', issues: ['declining-quality', 'bad-day'] },
  { id: 'calm-users', category: 'prompt_optimization_link', issues: ['user-toxicity', 'user-bias'] },
  { id: 'shorten-conversations', category: 'cost_optimization', issues: ['long-conversations'] },
  { id: 'find-users', category: 'use_case_fit', issues: ['silent-days', 'small-sample'] },
  { id: 'smaller-model', category: 'cost_optimization', issues: [], strengths: ['high-quality', 'low-friction'] },
  { id: 'sell-more', category: 'use_case_fit', issues: [], strengths: ['high-satisfaction', 'buying-users'] },
]

export const HEALTH_OF = { critical: 'critical', warning: 'needs_attention', info: 'healthy' } as const

export const PRIORITY_OF = { critical: 'high', warning: 'medium', info: 'low' } as const

export function meets({ is, threshold }: ThresholdRule, value: number | null): value is number {
  if (value === null) return false
  return is === 'below' ? value < threshold : value > threshold
}
