import { startOfDay } from '../../base/core/instant.ts'
import type { Day } from './day.ts'
import { findWorstDay, type PeriodTotals } from './period.ts'
import { DETECTION_FIELDS } from './persona.ts'
import type { Wording } from './phrases.ts'
import { withSeededRandom } from './random.ts'
import type { Measure } from './rules.ts'

export interface AssessedModel {
  readonly seed: string
  readonly modelId: string
  /** The name in the fixtures; undefined for a model that the fixtures do not list. */
  readonly name?: string | undefined
}

/** Functions that return the values of the common placeholders. The period must have conversations. */
export const COMMON_WORDING: Readonly<Record<string, (totals: PeriodTotals, model: AssessedModel) => string>> = {
  model: (_, { name }) => name ?? 'this model',
  Model: (_, { name }) => name ?? 'This model',
  period: ({ days }) => `the last ${formatCount(days.length, 'day')}`,
  conversations: ({ conversations }) => formatCount(conversations, 'conversation'),
  messages: ({ messages }) => formatCount(messages, 'message'),
  messagesPerConversation: ({ messages, conversations }) => (messages / conversations).toFixed(1),
  quality: ({ scores }) => formatScore(scores.avgConversationQualityIndex),
  satisfaction: ({ scores }) => formatScore(scores.avgSatisfactionScore),
  growth: ({ scores }) => formatScore(scores.avgGrowthScore),
  friction: ({ scores }) => formatScore(scores.avgFrictionScore),
  safety: ({ scores }) => formatScore(scores.avgSafetyScore),
  trend: describeTrend,
  worstDay: ({ days }) => formatDate(findWorstDay(days)?.day ?? 0),
  worstQuality: ({ days }) => formatScore(findWorstDay(days)?.quality ?? null),
  busiestDay: ({ days }) => formatDate(findBusiestDay(days).day),
  busiestConversations: ({ days }) => formatCount(findBusiestDay(days).conversations, 'conversation'),
  activeDays: ({ days }) => describeActiveDays(days),
  reference: (_, model) => drawExampleDetails(model).reference,
  amount: (_, model) => drawExampleDetails(model).amount,
}

/** Returns the values of a rule's placeholders: the measured value, the threshold and, for detections, the count. */
export function ruleWording(measure: Measure, value: number, threshold: number, totals: PeriodTotals): Wording {
  const detection = DETECTION_FIELDS.find((field) => field === measure)
  if (detection !== undefined) {
    const count = totals.detections[detection]?.total ?? 0
    return { number: `${value}%`, threshold: `${threshold}%`, count: formatCount(count, 'message') }
  }
  switch (measure) {
    case 'silentDays':
      return { number: formatCount(value, 'day'), threshold: formatCount(threshold, 'day') }
    case 'conversationCount':
      return { number: formatCount(value, 'conversation'), threshold: formatCount(threshold, 'conversation') }
    case 'messagesPerConversation':
      return { number: formatDistinctly(value, threshold, 1), threshold: String(threshold) }
    default:
      return {
        number: formatDistinctly(Math.abs(value), Math.abs(threshold), 2),
        threshold: Math.abs(threshold).toFixed(2),
      }
  }
}

export function formatCount(count: number, noun: string): string {
  const digits = String(count).replace(/\B(?=(?:\d{3}){1,8}$)/g, ',')
  return `${digits} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a value with enough decimals (at most 4) to distinguish it from the threshold (`0.8496` from 0.85). */
function formatDistinctly(value: number, threshold: number, decimals: number): string {
  const text = value.toFixed(decimals)
  return decimals < 4 && Number(text) === threshold && value !== threshold
    ? formatDistinctly(value, threshold, decimals + 1)
    : text
}

const formatScore = (value: number | null): string => (value ?? 0).toFixed(2)

/** Describes the trend, as the end of a sentence whose subject is the quality: `rose from 0.70 ... to 0.78 ...`. */
function describeTrend({ earlierQuality, laterQuality, scores }: PeriodTotals): string {
  if (earlierQuality === null || laterQuality === null) {
    return 'cannot be compared over time, since half of the period had no traffic'
  }
  const earlier = formatScore(earlierQuality)
  const later = formatScore(laterQuality)
  if (Math.abs(laterQuality - earlierQuality) < 0.01 || earlier === later) {
    return `held steady around ${formatScore(scores.avgConversationQualityIndex)}`
  }
  const verb = laterQuality > earlierQuality ? 'rose' : 'fell'
  return `${verb} from ${earlier} in the first half of the period to ${later} in the second`
}

function describeActiveDays(days: readonly Day[]): string {
  const active = days.filter(({ conversations }) => conversations > 0).length
  return active === days.length ? `all ${active} days` : `${active} of the ${days.length} days`
}

function findBusiestDay(days: readonly Day[]): Day {
  return days.reduce((busiest, day) => (day.conversations > busiest.conversations ? day : busiest))
}

function drawExampleDetails({ seed, modelId }: AssessedModel): { reference: string; amount: string } {
  return withSeededRandom([seed, modelId, 'details'], (random) => ({
    reference: random.string.fromCharacters('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', 6),
    amount: `$${random.number.int({ min: 18, max: 240 })}`,
  }))
}

const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Formats a day as `Wednesday, 14 January`. Intl is not used, since its output depends on the engine's version. */
function formatDate(day: number): string {
  const at = startOfDay(day)
  return `${WEEKDAYS[at.getUTCDay()]}, ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`
}
