import type { components } from './service-types.ts'

type Schemas = components['schemas']

/** The body of an analytics response, and its parts. Null means no data. */
export type Analytics = Schemas['ModelAnalytics']
export type DataPoint = Schemas['DataPoint']
export type LabelScore = NonNullable<Schemas['AverageFrustration']>
export type DetectionCount = NonNullable<Schemas['DetectionCount']>
export type Recommendations = NonNullable<Schemas['Recommendations']>
export type Recommendation = Schemas['Recommendation']
export type DetectedIssue = Schemas['DetectedIssue']

export interface AnalyticsQuery {
  readonly seed: string
  readonly modelId: string
  /** The number of data points, one per day: 7, 30 or 90, unless an edited contract allows other periods. */
  readonly days: number
  /** Epoch milliseconds; the last data point is for the UTC day of this instant. */
  readonly now: number
  /** The name of a persona; undefined for the model's own persona, which a fixture or the seed determines. */
  readonly persona?: string | undefined
  /** `no-null`: every field has data. `all-null`: no traffic. Without `persona`, the default is the fixture's shape. */
  readonly shape?: 'no-null' | 'all-null' | undefined
  /** Returns the amount by which events change the avgConversationQualityIndex of a day (`2026-01-15`). */
  readonly qualityShift?: ((day: string) => number) | undefined
}

/** Generates analytics. Identical queries yield identical results. Throws if the query names an unknown persona. */
export type Simulate = (query: AnalyticsQuery) => Analytics
