/** The shapes of service.md, "Model analytics response". */
export interface LabelScore {
  label: string
  score: number
}

export interface DetectionCount {
  total: number
  /** 0 to 100: share of the period's messages. */
  percentage: number
}

export interface Recommendation {
  title: string
  action: string
  rationale: { whyThisMatters: string; observedPattern: string; tradeoff?: string }
  evidence: { exampleSnippets: string[] }
  expectedImpact: string[]
  priority: 'high' | 'medium' | 'low'
  category: 'model_switch' | 'cost_optimization' | 'use_case_fit' | 'prompt_optimization_link'
}

export interface DetectedIssue {
  id: string
  severity: 'critical' | 'warning' | 'info'
  title: string
}

export interface Recommendations {
  summary: string
  healthLevel: 'healthy' | 'needs_attention' | 'critical'
  strengths: string[]
  recommendations: Recommendation[]
  detectedIssues: DetectedIssue[]
}

export interface DataPoint {
  /** The UTC day, as its first instant: `2026-01-15T00:00:00.000Z`. */
  date: string
  avgConversationQualityIndex: number | null
  avgSatisfactionScore: number | null
  avgGrowthScore: number | null
  avgFrictionScore: number | null
  avgSafetyScore: number | null
  conversationCount: number
  messageCount: number
}

export interface Analytics {
  avgConversationQualityIndex: number | null
  avgSatisfactionScore: number | null
  avgGrowthScore: number | null
  avgFrictionScore: number | null
  avgSafetyScore: number | null
  averageUserSentiment: LabelScore | null
  averageChangeInUserSentiment: LabelScore | null
  averageFrustration: LabelScore | null
  averageStruggle: LabelScore | null
  averageCommercialIntent: LabelScore | null
  hallucinationCount: DetectionCount | null
  jailbreakCount: DetectionCount | null
  userBiasCount: DetectionCount | null
  modelBiasCount: DetectionCount | null
  userToxicityCount: DetectionCount | null
  modelToxicityCount: DetectionCount | null
  recommendations: Recommendations | null
  conversationCount: number
  messageCount: number
  averageConversationRating: number | null
  dataPoints: DataPoint[]
}

/** What is asked of the invented world. The answer depends on nothing else. */
export interface AnalyticsQuery {
  /** The world: another seed, other figures. */
  readonly seed: string
  readonly modelId: string
  /** How many data points: 7, 30, 90, or what an edited document has besides. */
  readonly days: number
  /** Epoch milliseconds; the last data point is the UTC day of this instant. */
  readonly now: number
  /** A persona by name instead of the model's own (which a fixture fixes or the seed draws). */
  readonly persona?: string | undefined
  /** `no-null`: every nullable field has data; `all-null`: no traffic at all. */
  readonly shape?: 'no-null' | 'all-null' | undefined
  /**
   * What the events of a day do to that day's conversation quality: added to the day's
   * avgConversationQualityIndex and held within its range. `day` is `2026-01-15`. 0 (or no function): the seeded value.
   */
  readonly qualityShift?: ((day: string) => number) | undefined
}

/** The invented world: everything that analytics is made of, bound to its fixtures. */
export interface World {
  analytics(query: AnalyticsQuery): Analytics
  /** The persona names, in the fixtures' order. */
  readonly personas: readonly string[]
  /** The persona that `analytics` would use for this model. */
  personaOf(seed: string, modelId: string): string
}
