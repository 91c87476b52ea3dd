import type { ChartPoint, ChartRange } from '../../ui/chart-shape.ts'

/** A value that the service analyses for each day and for the whole period. */
export interface ChartMeasure {
  /** The member of the answer, and of each of its days. */
  readonly field: string
  readonly title: string
  readonly unit: string
  /** A score: 0 to 1, and null on days without conversations. A count: a whole number. */
  readonly kind: 'score' | 'count'
}

/** The measure that events change. */
export const qualityField = 'avgConversationQualityIndex'

/** The measures in the order of the charts. */
export const measures: readonly ChartMeasure[] = [
  { field: qualityField, title: 'Conversation quality', unit: '0 to 1', kind: 'score' },
  { field: 'avgSatisfactionScore', title: 'Satisfaction', unit: '0 to 1', kind: 'score' },
  { field: 'avgGrowthScore', title: 'Growth', unit: '0 to 1', kind: 'score' },
  { field: 'avgFrictionScore', title: 'Friction', unit: 'less is better', kind: 'score' },
  { field: 'avgSafetyScore', title: 'Safety', unit: '0 to 1', kind: 'score' },
  { field: 'conversationCount', title: 'Conversations', unit: 'per day', kind: 'count' },
  { field: 'messageCount', title: 'Messages', unit: 'per day', kind: 'count' },
]

/** The labelled scores of the answer by their titles. */
export const labelFields = {
  averageUserSentiment: 'Sentiment',
  averageChangeInUserSentiment: 'Sentiment change',
  averageFrustration: 'Frustration',
  averageStruggle: 'Struggle',
  averageCommercialIntent: 'Commercial intent',
} as const

/** The counted detections of the answer by their titles. */
export const detectionFields = {
  hallucinationCount: 'Hallucinations',
  jailbreakCount: 'Jailbreaks',
  userBiasCount: 'User bias',
  modelBiasCount: 'Model bias',
  userToxicityCount: 'User toxicity',
  modelToxicityCount: 'Model toxicity',
} as const

/** The body of an answer with analytics. A scenario may have damaged it, so each member is looked at before it is used. */
export interface Figures {
  readonly body: Readonly<Record<string, unknown>>
  readonly days: readonly Readonly<Record<string, unknown>>[]
}

/** Returns the body of an answer as figures; undefined: it has no list of days. */
export function readFigures(body: unknown): Figures | undefined {
  const figures = recordOf(body)
  const days = figures?.['dataPoints']
  if (!figures || !Array.isArray(days) || days.length === 0) return undefined
  return { body: figures, days: days.map((day) => recordOf(day) ?? {}) }
}

/** Returns a member that should be a number; null where it is none. */
export function numberOf(record: Readonly<Record<string, unknown>> | undefined, field: string): number | null {
  const value = record?.[field]
  return typeof value === 'number' ? value : null
}

/** Returns a member that should be a text; empty where it is none. */
export function textOf(record: Readonly<Record<string, unknown>> | undefined, field: string): string {
  const value = record?.[field]
  return typeof value === 'string' ? value : ''
}

/** Returns a value that should be an object; undefined where it is none. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** Returns the days of a measure as points of a chart. */
export function pointsOf({ days }: Figures, field: string): ChartPoint[] {
  return days.map((day) => ({ label: textOf(day, 'date').slice(0, 10), value: numberOf(day, field) }))
}

/** The values between which scores are drawn lie on these steps. */
const scoreStep = 0.2

/** Returns the range in which scores are drawn: the steps around them, so that small changes can be seen. */
export function findScoreRange(values: readonly (number | null)[]): ChartRange {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return { min: 0, max: 1 }
  const min = Math.floor(Math.min(...known) / scoreStep) * scoreStep
  return { min, max: Math.max(min + scoreStep, Math.ceil(Math.max(...known) / scoreStep) * scoreStep) }
}

/** Formats a value of a measure: `0.6497`, `3,204`; undefined kind: a score. */
export function formatMeasure(value: number, kind: ChartMeasure['kind'] = 'score'): string {
  return kind === 'count' ? value.toLocaleString('en') : String(Math.round(value * 10_000) / 10_000)
}

/**
 * Returns the days' quality without events, from the answer of a sandbox that has none. Undefined: the two answers differ in more than quality,
 * so that the difference is not that of the events alone.
 */
export function compareQuality(figures: Figures, without: Figures | undefined): (number | null)[] | undefined {
  if (!without || withoutQuality(figures) !== withoutQuality(without)) return undefined
  return without.days.map((day) => numberOf(day, qualityField))
}

const withoutQuality = ({ days }: Figures) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))
