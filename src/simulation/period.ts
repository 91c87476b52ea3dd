import type { DetectionCount } from './analytics.ts'
import type { Day, DayValues } from './day.ts'
import { DETECTION_FIELDS, type DetectionField, LABEL_FIELDS, type LabelField, mapToRecord } from './persona.ts'
import { fromUnits, roundHundredth, roundScore, toUnits } from './rounding.ts'

/** The sums and averages over the days of a period. Null: no data. */
export interface PeriodTotals {
  readonly days: readonly Day[]
  readonly conversations: number
  readonly messages: number
  readonly quality: number | null
  readonly satisfaction: number | null
  readonly growth: number | null
  readonly friction: number | null
  readonly safety: number | null
  readonly labels: Readonly<Record<LabelField, number | null>>
  readonly detections: Readonly<Record<DetectionField, DetectionCount | null>>
  /** 1 to 5. */
  readonly rating: number | null
  /** The average quality of the first half of the period: of 3 of 7 days. */
  readonly earlierQuality: number | null
  /** The average quality of the rest of the period: of 4 of 7 days. */
  readonly laterQuality: number | null
}

/** Computes the totals of a period. `switchedOff`: fields without data, whatever the traffic. */
export function aggregate(days: readonly Day[], switchedOff: readonly string[]): PeriodTotals {
  const messages = sum(days, (day) => day.messages)
  const half = Math.floor(days.length / 2)
  return {
    days,
    conversations: sum(days, (day) => day.conversations),
    messages,
    quality: average(days, (values) => values.quality),
    satisfaction: average(days, (values) => values.satisfaction),
    growth: average(days, (values) => values.growth),
    friction: average(days, (values) => values.friction),
    safety: average(days, (values) => values.safety),
    labels: mapToRecord(LABEL_FIELDS, (field) =>
      switchedOff.includes(field) ? null : average(days, (values) => values.labels[field]),
    ),
    detections: mapToRecord(DETECTION_FIELDS, (field) =>
      switchedOff.includes(field) ? null : countDetections(days, messages, field),
    ),
    rating: averageRating(days),
    earlierQuality: average(days.slice(0, half), (values) => values.quality),
    laterQuality: average(days.slice(half), (values) => values.quality),
  }
}

/** Returns the quality of the later half minus that of the earlier half, -1 to 1. Null: a half has no traffic. */
export function qualityChange({ earlierQuality, laterQuality }: PeriodTotals): number | null {
  return earlierQuality === null || laterQuality === null ? null : roundScore(laterQuality - earlierQuality)
}

/** Returns the day with the lowest quality, the first if several have it, or undefined without traffic. */
export function worstDay(days: readonly Day[]): { day: number; quality: number } | undefined {
  let worst: { day: number; quality: number } | undefined
  for (const { day, values } of days) {
    if (values && (!worst || values.quality < worst.quality)) worst = { day, quality: values.quality }
  }
  return worst
}

/** Averages rounded values, weighted by conversations. Null: no conversations. */
function average(days: readonly Day[], pick: (values: DayValues) => number): number | null {
  let units = 0
  let weight = 0
  for (const { values, conversations } of days) {
    if (!values) continue
    units += toUnits(pick(values)) * conversations
    weight += conversations
  }
  return weight === 0 ? null : fromUnits(units / weight)
}

function countDetections(days: readonly Day[], messages: number, field: DetectionField): DetectionCount | null {
  if (messages === 0) return null
  const total = sum(days, ({ values }) => values?.detections[field] ?? 0)
  return { total, percentage: roundHundredth((total / messages) * 100) }
}

function averageRating(days: readonly Day[]): number | null {
  const count = sum(days, ({ values }) => values?.ratings.count ?? 0)
  if (count === 0) return null
  return roundHundredth(sum(days, ({ values }) => values?.ratings.sum ?? 0) / count)
}

function sum(days: readonly Day[], pick: (day: Day) => number): number {
  return days.reduce((total, day) => total + pick(day), 0)
}
