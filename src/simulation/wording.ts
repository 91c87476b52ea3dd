import { startOfDay } from '../core/utc-day.ts'
import { draw } from './chance.ts'
import type { Day } from './day.ts'
import type { Measured } from './measure.ts'
import { type PeriodTotals, worstDay } from './period.ts'
import { DETECTION_FIELDS } from './persona.ts'
import type { Placeholder, Wording } from './phrases.ts'
import type { Measure } from './rules.ts'

/** Whose figures are put into words. `name`: as fixtures call the model. */
export interface AssessedModel {
  readonly seed: string
  readonly modelId: string
  readonly name?: string | undefined
}

/** What every phrase may say about a period that has traffic. */
export function commonWording(
  subject: AssessedModel,
  figures: PeriodTotals,
  measured: Measured,
): Record<Placeholder, string> {
  const worst = worstDay(figures.days)
  const busiest = busiestDay(figures.days)
  return {
    model: subject.name ?? 'this model',
    Model: subject.name ?? 'This model',
    period: `the last ${figures.days.length} days`,
    conversations: counted(figures.conversations, 'conversation'),
    messages: counted(figures.messages, 'message'),
    messagesPerConversation: (measured.messagesPerConversation ?? 0).toFixed(1),
    quality: score(figures.quality),
    satisfaction: score(figures.satisfaction),
    growth: score(figures.growth),
    friction: score(figures.friction),
    safety: score(figures.safety),
    trend: trendInWords(figures),
    worstDay: date(worst?.day ?? 0),
    worstQuality: score(worst?.quality ?? null),
    busiestDay: date(busiest?.day ?? 0),
    busiestConversations: counted(busiest?.conversations ?? 0, 'conversation'),
    activeDays: activeDays(figures.days),
    ...invented(subject),
  }
}

/** The figure that met a rule, and the rule's threshold, in the measure's own unit. */
export function ruleWording(
  measure: Measure,
  value: number,
  threshold: number,
  figures: PeriodTotals,
): Wording {
  const detection = DETECTION_FIELDS.find((field) => field === measure)
  if (detection !== undefined) {
    const count = figures.detections[detection]?.total ?? 0
    return { figure: `${value}%`, threshold: `${threshold}%`, count: counted(count, 'message') }
  }
  switch (measure) {
    case 'silentDays':
      return { figure: counted(value, 'day'), threshold: counted(threshold, 'day') }
    case 'conversationCount':
      return { figure: counted(value, 'conversation'), threshold: counted(threshold, 'conversation') }
    case 'messagesPerConversation':
      return { figure: apart(value, threshold, 1), threshold: String(threshold) }
    default:
      return {
        figure: apart(Math.abs(value), Math.abs(threshold), 2),
        threshold: Math.abs(threshold).toFixed(2),
      }
  }
}

/** `1 conversation`, `12,345 conversations`. */
export function counted(count: number, noun: string): string {
  const digits = String(count).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${digits} ${noun}${count === 1 ? '' : 's'}`
}

/** With as many decimals as it takes not to look like the threshold that it missed: `0.8496 is below 0.85`. */
function apart(value: number, threshold: number, decimals: number): string {
  const text = value.toFixed(decimals)
  return decimals < 4 && Number(text) === threshold && value !== threshold
    ? apart(value, threshold, decimals + 1)
    : text
}

function score(value: number | null): string {
  return (value ?? 0).toFixed(2)
}

/** What quality did; `Quality ...` must read well before it. */
function trendInWords({ earlierQuality, laterQuality, quality }: PeriodTotals): string {
  if (earlierQuality === null || laterQuality === null) {
    return 'cannot be compared over time, since half of the period had no traffic'
  }
  const earlier = score(earlierQuality)
  const later = score(laterQuality)
  if (Math.abs(laterQuality - earlierQuality) < 0.01 || earlier === later) {
    return `held steady around ${score(quality)}`
  }
  const verb = laterQuality > earlierQuality ? 'rose' : 'fell'
  return `${verb} from ${earlier} in the first half of the period to ${later} in the second`
}

function activeDays(days: readonly Day[]): string {
  const active = days.filter(({ conversations }) => conversations > 0).length
  return active === days.length ? `all ${active} days` : `${active} of the ${days.length} days`
}

function busiestDay(days: readonly Day[]): Day | undefined {
  return days.reduce<Day | undefined>(
    (busiest, day) => (busiest && busiest.conversations >= day.conversations ? busiest : day),
    undefined,
  )
}

/** Details of example conversations: an order number and a price. */
function invented({ seed, modelId }: AssessedModel): { reference: string; amount: string } {
  return draw([seed, modelId, 'details'], (chance) => ({
    reference: chance.string.fromCharacters('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', 6),
    amount: `$${chance.number.int({ min: 18, max: 240 })}`,
  }))
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** `Wednesday, 14 January`. Not from Intl, whose words depend on the engine's version. */
function date(day: number): string {
  const at = startOfDay(day)
  return `${WEEKDAYS[at.getUTCDay()]}, ${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`
}
