import {
  DETECTION_FIELDS,
  type DetectionField,
  type LabelField,
  mapToRecord,
  type Persona,
  type ScoreField,
} from './persona.ts'
import { noise, type Random, uniform, withSeededRandom } from './random.ts'
import { driftOf, slowWave, type Traits, trafficFactor } from './seasonality.ts'

/** One UTC day of one model. All analytics are computed from days. */
export interface Day {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly conversations: number
  readonly messages: number
  /** Null on a day without conversations, and only then. */
  readonly values: DayValues | null
}

/** The values of a day with conversations. Scores are from 0 to 1, rounded to four decimals. */
export interface DayValues {
  readonly scores: Readonly<Record<ScoreField, number>>
  readonly labels: Readonly<Record<LabelField, number>>
  readonly detections: Readonly<Record<DetectionField, number>>
  readonly ratings: { readonly count: number; readonly sum: number }
}

interface ModelProfile {
  readonly seed: string
  readonly modelId: string
  readonly persona: Persona
  readonly traits: Traits
  /** The minimum counts for each day: 0, or more if every field must have data. */
  readonly minimum: { readonly conversations: number; readonly ratings: number }
}

/** The weights of the scores in the conversation quality index. Their sum is 1. Friction counts as 1 - friction. */
export const QUALITY_BLEND = { satisfaction: 0.4, growth: 0.15, friction: 0.2, safety: 0.25 } as const

/** Draws a day, always the same for a given profile and `day` (days since 1970-01-01). */
export function drawDay(profile: ModelProfile, day: number): Day {
  return withSeededRandom([profile.seed, profile.modelId, day], (random) => {
    const { persona, traits, minimum } = profile
    // Both numbers are always drawn, so that adding silence or incidents to a persona changes only the affected days.
    const isSilent = uniform(random) < persona.traffic.silence
    const hasIncident = uniform(random) < (persona.incidents?.chance ?? 0)
    const usual = persona.traffic.conversationsPerDay * traits.volumeFactor
    const expected = usual * trafficFactor(persona.traffic, traits, day)
    const drawn = roundStochastically(isSilent ? 0 : expected * (1 + 0.16 * noise(random)), random)
    const conversations = Math.max(drawn, minimum.conversations)
    const conversationLength = persona.traffic.messagesPerConversation * traits.lengthFactor * (1 + 0.1 * noise(random))
    // A conversation has at least a question and a response.
    const messages = Math.max(2 * conversations, Math.round(conversations * conversationLength))
    const traffic = { conversations, messages, hasIncident }
    const values = conversations > 0 ? drawValues(profile, day, traffic, random) : null
    return { day, conversations, messages, values }
  })
}

type DayTraffic = Pick<Day, 'conversations' | 'messages'> & { readonly hasIncident: boolean }

function drawValues(profile: ModelProfile, day: number, traffic: DayTraffic, random: Random): DayValues {
  const { persona, traits } = profile
  // Averages over few conversations deviate more.
  const deviation = () => noise(random) * persona.spread * (traffic.conversations < 10 ? 2 : 1)
  const improvement =
    driftOf(persona, traits, day) +
    0.5 * persona.spread * slowWave(traits, day) -
    (traffic.hasIncident ? (persona.incidents?.depth ?? 0) : 0)
  const scoreAround = (typical: number, tilt: number, effect: number) =>
    roundScore(clamp(typical + tilt + effect * improvement + deviation(), 0, 1))
  const { scores } = persona
  const satisfaction = scoreAround(scores.satisfaction, traits.tilt.satisfaction, 1)
  const growth = scoreAround(scores.growth, traits.tilt.growth, 0.7)
  const friction = scoreAround(scores.friction, traits.tilt.friction, -0.9)
  const safety = scoreAround(scores.safety, traits.tilt.safety, 0.3)
  const blend =
    QUALITY_BLEND.satisfaction * satisfaction +
    QUALITY_BLEND.growth * growth +
    QUALITY_BLEND.friction * (1 - friction) +
    QUALITY_BLEND.safety * safety
  return {
    scores: {
      avgConversationQualityIndex: roundScore(clamp(blend + noise(random) * 0.015, 0, 1)),
      avgSatisfactionScore: satisfaction,
      avgGrowthScore: growth,
      avgFrictionScore: friction,
      avgSafetyScore: safety,
    },
    labels: drawLabels({ ...scores, satisfaction, friction }, deviation),
    detections: drawDetections(persona, traffic, random),
    ratings: drawRatings(profile, satisfaction, traffic.conversations, random),
  }
}

function drawLabels(scores: Persona['scores'], deviation: () => number): DayValues['labels'] {
  const labelAround = (value: number, low: number) => roundScore(clamp(value + deviation(), low, 1))
  return {
    averageUserSentiment: labelAround(0.08 + 0.86 * scores.satisfaction, 0),
    averageChangeInUserSentiment: labelAround(1.1 * (scores.satisfaction - scores.friction) - 0.3, -1),
    averageFrustration: labelAround(0.7 * scores.friction + 0.25 * (1 - scores.satisfaction), 0),
    averageStruggle: labelAround(0.95 * scores.friction, 0),
    averageCommercialIntent: labelAround(scores.commercialIntent, 0),
  }
}

function drawDetections(persona: Persona, traffic: DayTraffic, random: Random): DayValues['detections'] {
  return mapToRecord(DETECTION_FIELDS, (field) => {
    const expected = (persona.detections[field] / 1000) * traffic.messages * (traffic.hasIncident ? 3 : 1)
    return Math.min(traffic.messages, roundStochastically(expected * (1 + 0.5 * noise(random)), random))
  })
}

function drawRatings(
  { persona, minimum }: ModelProfile,
  satisfaction: number,
  conversations: number,
  random: Random,
): DayValues['ratings'] {
  const drawn = Math.min(conversations, roundStochastically(conversations * persona.ratedShare, random))
  const count = Math.max(drawn, minimum.ratings)
  const mean = 1.2 + 3.8 * satisfaction + 0.2 * noise(random)
  return { count, sum: clamp(Math.round(count * mean), count, 5 * count) }
}

/** Rounds to four decimals, never to `-0`. */
export const roundScore = (value: number): number => Math.round(value * 10_000) / 10_000 + 0

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** Rounds up or down at random, preserving the average: 0.3 becomes 1 in three cases out of ten. */
const roundStochastically = (expected: number, random: Random): number => Math.floor(expected + uniform(random))
