import { type PeriodTotals, qualityChange, worstDay } from './period.ts'
import { DETECTION_FIELDS, mapToRecord } from './persona.ts'
import { roundScore } from './rounding.ts'
import type { Measure } from './rules.ts'

/** The values of a period that the rules of an assessment compare with their thresholds. Null: no data. */
export type Measurements = Readonly<Record<Measure, number | null>>

export function measurePeriod(totals: PeriodTotals): Measurements {
  const { labels, detections, conversations, messages } = totals
  const worst = worstDay(totals.days)
  return {
    avgConversationQualityIndex: totals.quality,
    avgSatisfactionScore: totals.satisfaction,
    avgGrowthScore: totals.growth,
    avgFrictionScore: totals.friction,
    avgSafetyScore: totals.safety,
    averageUserSentiment: labels.averageUserSentiment,
    averageStruggle: labels.averageStruggle,
    averageCommercialIntent: labels.averageCommercialIntent,
    ...mapToRecord(DETECTION_FIELDS, (field) => detections[field]?.percentage ?? null),
    averageConversationRating: totals.rating,
    conversationCount: conversations,
    qualityChange: qualityChange(totals),
    worstDayGap: worst && totals.quality !== null ? roundScore(totals.quality - worst.quality) : null,
    messagesPerConversation: conversations === 0 ? null : messages / conversations,
    silentDays: totals.days.filter((day) => day.conversations === 0).length,
  }
}
