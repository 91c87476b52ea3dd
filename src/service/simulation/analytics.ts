import type { DetectionField, LabelField, ScoreField } from './persona.ts'

/** A score with its label. `spec/openapi.yaml` describes this and the other parts of `Analytics`. */
export interface LabelScore {
  label: string
  score: number
}

/** The number of messages in a period that have a detection, such as a hallucination. */
export interface DetectionCount {
  total: number
  /** The share of the period's messages, 0 to 100. */
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

/** An issue that a rule of the assessment found. `id`: the id of the rule, e.g. `low-safety-score`. */
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

/** The values of a day. Null: no data. */
export interface DataPoint extends Record<ScoreField, number | null> {
  /** The first instant of the UTC day: `2026-01-15T00:00:00.000Z`. */
  date: string
  conversationCount: number
  messageCount: number
}

/** The body of an analytics response. Null: no data. */
export interface Analytics
  extends Omit<DataPoint, 'date'>,
    Record<LabelField, LabelScore | null>,
    Record<DetectionField, DetectionCount | null> {
  recommendations: Recommendations | null
  averageConversationRating: number | null
  dataPoints: DataPoint[]
}

/** The query for the analytics of a model. Equal queries have equal analytics. */
export interface AnalyticsQuery {
  /** Another seed gives other analytics. */
  readonly seed: string
  readonly modelId: string
  /** The number of data points: 7, 30, 90, or another period of an edited contract. */
  readonly days: number
  /** Epoch milliseconds; the last data point is the UTC day of this instant. */
  readonly now: number
  /** The name of a persona, or undefined for the model's own, which a fixture names or the seed draws. */
  readonly persona?: string | undefined
  /** `no-null`: every nullable field has data; `all-null`: no traffic. Default: the shape of the model's fixture. */
  readonly shape?: 'no-null' | 'all-null' | undefined
  /** Returns the effect of the events of a day (`2026-01-15`) on its avgConversationQualityIndex, from 0 to 1. */
  readonly qualityShift?: ((day: string) => number) | undefined
}

/** A generator of analytics: it generates those of every model from one set of fixtures. */
export interface Simulation {
  /** Returns equal analytics for equal queries. Throws where the query names an unknown persona. */
  analytics(query: AnalyticsQuery): Analytics
  /** The persona names, in the fixtures' order. */
  readonly personas: readonly string[]
}
