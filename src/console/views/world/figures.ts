import { type JsonRecord, objectOf } from '../../ui/text.ts'

/** The measure that events change. */
export const qualityField = 'avgConversationQualityIndex'

/** The body of an answer with analytics, which a scenario may have damaged. */
export interface Figures {
  readonly body: JsonRecord
  readonly days: readonly JsonRecord[]
}

/** Returns the body of an answer as figures, or undefined if it has no list of days. */
export function readFigures(answer: unknown): Figures | undefined {
  const body = objectOf(answer)
  const days = body['dataPoints']
  return Array.isArray(days) && days.length > 0 ? { body, days: days.map(objectOf) } : undefined
}

/** Returns a member that should be a number, or null. */
export function readNumber(record: JsonRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

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
