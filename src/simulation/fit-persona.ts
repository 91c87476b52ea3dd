import { failure, type Result, success } from '../core/result.ts'
import type { Analytics, DataPoint } from './analytics.ts'
import { DETECTION_FIELDS, LABEL_FIELDS, type Persona } from './persona.ts'
import { clamp } from './rounding.ts'
import { drawTraits, type Traits, weekdayShare } from './seasonality.ts'

/** The fewest days with conversations that show how a model behaves. */
const minDays = 5

/** The standard deviation of `noise` (random.ts): three uniform numbers. */
const noiseDeviation = 1 / 3

/**
 * Estimates the persona of a model from answers about it, so that the simulator invents similar ones. The model's own traits are those that
 * `seed` gives it, and are taken out. The error says why nothing can be estimated.
 */
export function fitPersona(
  answers: readonly Analytics[],
  { name, seed, modelId }: { readonly name: string; readonly seed: string; readonly modelId: string },
): Result<Persona> {
  const days = joinDays(answers)
  const active = days.filter(({ conversationCount }) => conversationCount > 0)
  const latest = answers.at(-1)
  if (!latest || active.length < minDays)
    return failure(`only ${active.length} days with conversations were seen, and ${minDays} are needed`)
  const scores = active.flatMap((day) => [
    day.avgSatisfactionScore,
    day.avgGrowthScore,
    day.avgFrictionScore,
    day.avgSafetyScore,
  ])
  if (scores.some((score) => score !== null && (score < 0 || score > 1)))
    return failure('its scores are not from 0 to 1, as those of a persona are')
  const traits = drawTraits(seed, modelId)
  return success({
    name,
    about: `Fitted to ${days.length} recorded days of the model ${modelId}.`,
    weight: 0,
    traffic: fitTraffic(days, active, traits),
    scores: fitScores(active, latest, traits),
    spread: fitSpread(active),
    ...fitDrift(active),
    detections: fitDetections(latest),
    // An answer has the average rating, not the number of ratings.
    ratedShare: latest.averageConversationRating === null ? 0 : 0.2,
    ...fitSwitchedOff(latest),
  })
}

/** Joins the days of all answers, each once; a later answer replaces an earlier one. */
function joinDays(answers: readonly Analytics[]): DataPoint[] {
  const byDate = new Map<string, DataPoint>()
  for (const { dataPoints } of answers) for (const point of dataPoints) byDate.set(point.date, point)
  return [...byDate.values()].sort((one, other) => one.date.localeCompare(other.date))
}

function fitTraffic(
  days: readonly DataPoint[],
  active: readonly DataPoint[],
  traits: Traits,
): Persona['traffic'] {
  const isWeekend = ({ date }: DataPoint) => [0, 6].includes(new Date(date).getUTCDay())
  const share = (day: DataPoint) => day.conversationCount / weekdayShare(new Date(day.date).getUTCDay())
  const working = mean(active.filter((day) => !isWeekend(day)).map(share))
  const weekend = mean(active.filter(isWeekend).map(share))
  const typical = working ?? weekend ?? 0
  const messages = sum(active.map(({ messageCount }) => messageCount))
  const conversations = sum(active.map(({ conversationCount }) => conversationCount))
  return {
    conversationsPerDay: round(clamp(typical / traits.volume, 0, 100_000), 1),
    messagesPerConversation: round(clamp(messages / conversations / traits.length, 2, 1000), 1),
    weekend: round(clamp(working && weekend !== undefined ? weekend / working : 1, 0, 10), 2),
    silence: round(1 - active.length / days.length, 2),
  }
}

function fitScores(active: readonly DataPoint[], latest: Analytics, { tilt }: Traits): Persona['scores'] {
  const typical = (scoreOf: (day: DataPoint) => number | null, offset: number) => {
    const average = mean(active.flatMap((day) => scoreOf(day) ?? []))
    return average === undefined ? 0.5 : round(clamp(average - offset, 0, 1), 3)
  }
  return {
    satisfaction: typical((day) => day.avgSatisfactionScore, tilt.satisfaction),
    growth: typical((day) => day.avgGrowthScore, tilt.growth),
    friction: typical((day) => day.avgFrictionScore, tilt.friction),
    safety: typical((day) => day.avgSafetyScore, tilt.safety),
    commercialIntent: round(clamp(latest.averageCommercialIntent?.score ?? 0.5, 0, 1), 3),
  }
}

/** Returns the deviation of the days' satisfaction from its trend, as the spread that causes it. */
function fitSpread(active: readonly DataPoint[]): number {
  const { residuals } = fitTrend(active)
  const deviation = Math.sqrt(mean(residuals.map((one) => one * one)) ?? 0)
  return round(clamp(deviation / noiseDeviation, 0, 0.3), 3)
}

/** Returns a drift where the satisfaction rises or falls over the days by more than it strays. */
function fitDrift(active: readonly DataPoint[]): Pick<Persona, 'drift'> {
  const { change, residuals } = fitTrend(active)
  const deviation = Math.sqrt(mean(residuals.map((one) => one * one)) ?? 0)
  if (active.length < 14 || Math.abs(change) < Math.max(0.05, 2 * deviation)) return {}
  return { drift: { days: active.length, change: round(clamp(change, -1, 1), 3) } }
}

/** Fits a line to the satisfaction: its change over all days, and what it leaves of each. */
function fitTrend(active: readonly DataPoint[]): { change: number; residuals: number[] } {
  const points = active.flatMap(({ avgSatisfactionScore }, at) =>
    avgSatisfactionScore === null ? [] : [{ at, value: avgSatisfactionScore }],
  )
  const middle = mean(points.map(({ at }) => at)) ?? 0
  const average = mean(points.map(({ value }) => value)) ?? 0
  const width = sum(points.map(({ at }) => (at - middle) ** 2))
  const slope =
    width === 0 ? 0 : sum(points.map(({ at, value }) => (at - middle) * (value - average))) / width
  return {
    change: slope * active.length,
    residuals: points.map(({ at, value }) => value - average - slope * (at - middle)),
  }
}

function fitDetections(latest: Analytics): Persona['detections'] {
  const perThousand = (total = 0) =>
    latest.messageCount === 0 ? 0 : round(clamp((total / latest.messageCount) * 1000, 0, 1000), 2)
  const entries = DETECTION_FIELDS.map((field) => [field, perThousand(latest[field]?.total)])
  return Object.fromEntries(entries) // an entry for each field
}

/** Returns the fields that are null though there were conversations. */
function fitSwitchedOff(latest: Analytics): Pick<Persona, 'switchedOff'> {
  if (latest.conversationCount === 0) return {}
  const off = [...LABEL_FIELDS, ...DETECTION_FIELDS].filter((field) => latest[field] === null)
  return off.length > 0 ? { switchedOff: off } : {}
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Returns the average; undefined for no values. */
const mean = (values: readonly number[]) => (values.length === 0 ? undefined : sum(values) / values.length)

const round = (value: number, digits: number) => Number(value.toFixed(digits))
