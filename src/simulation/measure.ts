import { type PeriodTotals, qualityChange, worstDay } from './period.ts'
import { roundScore } from './rounding.ts'
import type { Measure } from './rules.ts'

/** What the rules look at, of one period. Null: no data. */
export type Measured = Readonly<Record<Measure, number | null>>

export function measure(figures: PeriodTotals): Measured {
  const { labels, detections, conversations, messages } = figures
  const worst = worstDay(figures.days)
  return {
    avgConversationQualityIndex: figures.quality,
    avgSatisfactionScore: figures.satisfaction,
    avgGrowthScore: figures.growth,
    avgFrictionScore: figures.friction,
    avgSafetyScore: figures.safety,
    averageUserSentiment: labels.averageUserSentiment,
    averageStruggle: labels.averageStruggle,
    averageCommercialIntent: labels.averageCommercialIntent,
    hallucinationCount: detections.hallucinationCount?.percentage ?? null,
    jailbreakCount: detections.jailbreakCount?.percentage ?? null,
    userBiasCount: detections.userBiasCount?.percentage ?? null,
    modelBiasCount: detections.modelBiasCount?.percentage ?? null,
    userToxicityCount: detections.userToxicityCount?.percentage ?? null,
    modelToxicityCount: detections.modelToxicityCount?.percentage ?? null,
    averageConversationRating: figures.rating,
    conversationCount: conversations,
    qualityChange: qualityChange(figures),
    worstDayGap: worst && figures.quality !== null ? roundScore(figures.quality - worst.quality) : null,
    messagesPerConversation: conversations === 0 ? null : messages / conversations,
    silentDays: figures.days.filter((day) => day.conversations === 0).length,
  }
}
