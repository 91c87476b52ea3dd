/** The measure that events change. */
export const qualityField = 'avgConversationQualityIndex'

/** An object of an answer. A scenario may have damaged it, so each member is looked at before it is used. */
type AnswerRecord = Readonly<Record<string, unknown>>

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
export function readNumber(record: AnswerRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

/** Returns a member that should be a text, or an empty text. */
export function readText(record: AnswerRecord, field: string): string {
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
  return without.days.map((day) => readNumber(day, qualityField))
}

const withoutQuality = ({ days }: Figures) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))
