import type { components } from './service-types.ts'

type Schemas = components['schemas']

/** The body of an analytics response, and its parts. Null: no data. */
export type Analytics = Schemas['ModelAnalytics']
export type DataPoint = Schemas['DataPoint']
export type LabelScore = NonNullable<Schemas['AverageFrustration']>
export type DetectionCount = NonNullable<Schemas['DetectionCount']>
export type Recommendations = NonNullable<Schemas['Recommendations']>
export type Recommendation = Schemas['Recommendation']
export type DetectedIssue = Schemas['DetectedIssue']

/** The query for the analytics of a model. Equal queries have equal analytics. */
export interface AnalyticsQuery {
  readonly seed: string
  readonly modelId: string
  /** The number of data points: 7, 30, 90, or another period in an edited contract. */
  readonly days: number
  /** Epoch milliseconds; the last data point is the UTC day of this instant. */
  readonly now: number
  /** The name of a persona; undefined for the model's own, from a fixture or the seed. */
  readonly persona?: string | undefined
  /** `no-null`: every nullable field has data; `all-null`: no traffic. Default: the shape of the model's fixture. */
  readonly shape?: 'no-null' | 'all-null' | undefined
  /** Returns the effect of a day's events (`2026-01-15`) on its avgConversationQualityIndex, from 0 to 1. */
  readonly qualityShift?: ((day: string) => number) | undefined
}

/** Generates analytics, equal for equal queries. Throws if the query names an unknown persona. */
export type Simulate = (query: AnalyticsQuery) => Analytics
