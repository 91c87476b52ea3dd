/** The measure that events change. */
export const qualityField = 'avgConversationQualityIndex'

/** A value that the service analyses for each day and for the whole period. */
export interface ChartMeasure {
  /** The member of the answer, and of each of its days. */
  readonly field: string
  readonly title: string
  readonly unit: string
  /** A score, which is null on days without conversations, is a line; a whole number is a bar. */
  readonly kind: 'line' | 'bar'
}

/** The measures in the order of the charts. */
export const measures: readonly ChartMeasure[] = [
  { field: qualityField, title: 'Conversation quality', unit: '0 to 1', kind: 'line' },
  { field: 'avgSatisfactionScore', title: 'Satisfaction', unit: '0 to 1', kind: 'line' },
  { field: 'avgGrowthScore', title: 'Growth', unit: '0 to 1', kind: 'line' },
  { field: 'avgFrictionScore', title: 'Friction', unit: 'less is better', kind: 'line' },
  { field: 'avgSafetyScore', title: 'Safety', unit: '0 to 1', kind: 'line' },
  { field: 'conversationCount', title: 'Conversations', unit: 'per day', kind: 'bar' },
  { field: 'messageCount', title: 'Messages', unit: 'per day', kind: 'bar' },
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

/** An object of an answer. A scenario may have damaged it, so each member is looked at before it is used. */
export type AnswerRecord = Readonly<Record<string, unknown>>

/** The body of an answer with analytics. */
export interface Figures {
  readonly body: AnswerRecord
  readonly days: readonly AnswerRecord[]
}

/** Returns the body of an answer as figures, or undefined if it has no list of days. */
export function readFigures(answer: unknown): Figures | undefined {
  const body = recordOf(answer)
  const days = body['dataPoints']
  return Array.isArray(days) && days.length > 0 ? { body, days: days.map(recordOf) } : undefined
}

/** Returns a member that should be a number, or null. */
export function numberOf(record: AnswerRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

/** Returns a member that should be a text, or an empty text. */
export function textOf(record: AnswerRecord, field: string): string {
  const value = record[field]
  return typeof value === 'string' ? value : ''
}

/** Returns a value that should be an object, or an empty object. */
export const recordOf = (value: unknown): AnswerRecord =>
  typeof value === 'object' && value !== null ? (value as AnswerRecord) : {}

/** Formats a score with four decimals at most: `0.6497`. */
export const formatScore = (value: number): string => String(Math.round(value * 10_000) / 10_000)

/**
 * Returns the days' quality without events, from the answer of a sandbox that has none. Undefined if the two answers
 * differ in more than quality, so that the difference is not that of the events alone.
 */
export function compareQuality(figures: Figures, without: Figures | undefined): (number | null)[] | undefined {
  if (!without || withoutQuality(figures) !== withoutQuality(without)) return undefined
  return without.days.map((day) => numberOf(day, qualityField))
}

const withoutQuality = ({ days }: Figures) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))
