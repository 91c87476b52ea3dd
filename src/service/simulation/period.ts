import type { DetectionCount } from './analytics.ts'
import { type Day, type DayValues, roundScore } from './day.ts'
import {
  DETECTION_FIELDS,
  type DetectionField,
  LABEL_FIELDS,
  type LabelField,
  mapToRecord,
  SCORE_FIELDS,
  type ScoreField,
} from './persona.ts'
import type { Measure } from './rules.ts'

/** The sums and averages over the days of a period. Null means no data. */
export interface PeriodTotals {
  readonly days: readonly Day[]
  readonly conversations: number
  readonly messages: number
  readonly scores: Readonly<Record<ScoreField, number | null>>
  readonly labels: Readonly<Record<LabelField, number | null>>
  readonly detections: Readonly<Record<DetectionField, DetectionCount | null>>
  /** The average rating, from 1 to 5. */
  readonly rating: number | null
  /** The average quality in the first half of the period (the first 3 days of 7). */
  readonly earlierQuality: number | null
  /** The average quality in the second half of the period (the last 4 days of 7). */
  readonly laterQuality: number | null
}

export function aggregate(days: readonly Day[], switchedOff: readonly string[]): PeriodTotals {
  const messages = sum(days, (day) => day.messages)
  const half = Math.floor(days.length / 2)
  return {
    days,
    conversations: sum(days, (day) => day.conversations),
    messages,
    scores: mapToRecord(SCORE_FIELDS, (field) => average(days, ({ scores }) => scores[field])),
    labels: mapToRecord(LABEL_FIELDS, (field) =>
      switchedOff.includes(field) ? null : average(days, (values) => values.labels[field]),
    ),
    detections: mapToRecord(DETECTION_FIELDS, (field) =>
      switchedOff.includes(field) ? null : countDetections(days, messages, field),
    ),
    rating: averageRating(days),
    earlierQuality: average(days.slice(0, half), qualityOf),
    laterQuality: average(days.slice(half), qualityOf),
  }
}

/** The values of a period that the assessment rules compare with their thresholds. Null means no data. */
export type Measurements = Readonly<Record<Measure, number | null>>

export function measurePeriod(totals: PeriodTotals): Measurements {
  const { days, conversations, messages, scores, labels, detections, earlierQuality, laterQuality } = totals
  const quality = scores.avgConversationQualityIndex
  const worst = findWorstDay(days)
  return {
    ...scores,
    ...labels,
    ...mapToRecord(DETECTION_FIELDS, (field) => detections[field]?.percentage ?? null),
    averageConversationRating: totals.rating,
    conversationCount: conversations,
    qualityChange: earlierQuality === null || laterQuality === null ? null : roundScore(laterQuality - earlierQuality),
    worstDayGap: worst && quality !== null ? roundScore(quality - worst.quality) : null,
    messagesPerConversation: conversations === 0 ? null : messages / conversations,
    silentDays: sum(days, (day) => (day.conversations === 0 ? 1 : 0)),
  }
}

export function findWorstDay(days: readonly Day[]): { day: number; quality: number } | undefined {
  const withQuality = days.flatMap(({ day, values }) => (values ? [{ day, quality: qualityOf(values) }] : []))
  return withQuality.sort((a, b) => a.quality - b.quality)[0]
}

const qualityOf = ({ scores }: DayValues) => scores.avgConversationQualityIndex

/**
 * Averages rounded values, weighted by conversations. Values are added as integers (ten-thousandths), so the sum is
 * exact in any order, and clients can recompute the result. Returns null if there are no conversations.
 */
function average(days: readonly Day[], pick: (values: DayValues) => number): number | null {
  let units = 0
  let weight = 0
  for (const { values, conversations } of days) {
    if (!values) continue
    units += Math.round(pick(values) * 10_000) * conversations
    weight += conversations
  }
  return weight === 0 ? null : roundScore(units / weight / 10_000)
}

function countDetections(days: readonly Day[], messages: number, field: DetectionField): DetectionCount | null {
  if (messages === 0) return null
  const total = sum(days, ({ values }) => values?.detections[field] ?? 0)
  return { total, percentage: roundToHundredths((total / messages) * 100) }
}

function averageRating(days: readonly Day[]): number | null {
  const count = sum(days, ({ values }) => values?.ratings.count ?? 0)
  if (count === 0) return null
  return roundToHundredths(sum(days, ({ values }) => values?.ratings.sum ?? 0) / count)
}

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100 + 0

function sum(days: readonly Day[], pick: (day: Day) => number): number {
  return days.reduce((total, day) => total + pick(day), 0)
}
