import { draw, noise, type Random, uniform } from './chance.ts'
import type { DetectionField, LabelField, Persona } from './persona.ts'
import { driftOf, type Traits, trafficFactor, trend } from './rhythm.ts'
import { clamp, roundScore } from './rounding.ts'

/** One UTC day of one model: the atom that every answer is made of. */
export interface Day {
  /** Days since 1970-01-01. */
  readonly day: number
  readonly conversations: number
  readonly messages: number
  /** Null on a day without conversations, and only then. */
  readonly values: DayValues | null
}

/** What is known of a day with conversations. Scores have four decimals. */
export interface DayValues {
  readonly quality: number
  readonly satisfaction: number
  readonly growth: number
  readonly friction: number
  readonly safety: number
  readonly labels: Readonly<Record<LabelField, number>>
  /** Messages with such a detection. */
  readonly detections: Readonly<Record<DetectionField, number>>
  readonly ratings: { readonly count: number; readonly sum: number }
}

/** Whose days they are. Everything but `day` that a day depends on. */
export interface Character {
  readonly seed: string
  readonly modelId: string
  readonly persona: Persona
  readonly traits: Traits
  /** The least conversations and ratings of any day: 0, but more where every field has to have data. */
  readonly least: { readonly conversations: number; readonly ratings: number }
}

/** How the conversation quality index is blended; friction counts by its absence. Shares add up to 1. */
const QUALITY_BLEND = { satisfaction: 0.4, growth: 0.15, friction: 0.2, safety: 0.25 } as const

/** A day's values: they depend on the character and the day, and on nothing else. */
export function drawDay(character: Character, day: number): Day {
  return draw([character.seed, character.modelId, day], (chance) => {
    const { persona, traits, least } = character
    // Drawn first and always, so that the rest of the day's chance stays in step.
    const silent = uniform(chance) < persona.traffic.silence
    const bad = uniform(chance) < (persona.incidents?.chance ?? 0)
    const expected =
      persona.traffic.conversationsPerDay * traits.volume * trafficFactor(persona.traffic, traits, day)
    const drawn = roundStochastically(silent ? 0 : expected * (1 + 0.16 * noise(chance)), chance)
    const conversations = Math.max(drawn, least.conversations)
    const turns = persona.traffic.messagesPerConversation * traits.length * (1 + 0.1 * noise(chance))
    // A conversation has at least a question and an answer.
    const messages = Math.max(2 * conversations, Math.round(conversations * turns))
    if (conversations === 0) return { day, conversations, messages, values: null }
    return {
      day,
      conversations,
      messages,
      values: drawValues(character, day, { conversations, messages, bad }, chance),
    }
  })
}

interface Circumstances {
  readonly conversations: number
  readonly messages: number
  /** An incident happened. */
  readonly bad: boolean
}

function drawValues(character: Character, day: number, today: Circumstances, chance: Random): DayValues {
  const { persona, traits } = character
  // Averages over few conversations stray further.
  const deviation = () => noise(chance) * persona.spread * (today.conversations < 10 ? 2 : 1)
  const better =
    driftOf(persona, traits, day) +
    0.5 * persona.spread * trend(traits, day) -
    (today.bad ? (persona.incidents?.depth ?? 0) : 0)
  const around = (typical: number, tilt: number, effect: number) =>
    roundScore(clamp(typical + tilt + effect * better + deviation(), 0, 1))
  const { scores } = persona
  const satisfaction = around(scores.satisfaction, traits.tilt.satisfaction, 1)
  const growth = around(scores.growth, traits.tilt.growth, 0.7)
  const friction = around(scores.friction, traits.tilt.friction, -0.9)
  const safety = around(scores.safety, traits.tilt.safety, 0.3)
  const blend = { satisfaction, growth, friction: 1 - friction, safety }
  return {
    quality: roundScore(clamp(blended(blend) + noise(chance) * 0.015, 0, 1)),
    satisfaction,
    growth,
    friction,
    safety,
    labels: drawLabels({ satisfaction, friction, commercialIntent: scores.commercialIntent }, deviation),
    detections: drawDetections(persona, today, chance),
    ratings: drawRatings(character, satisfaction, today.conversations, chance),
  }
}

function blended(parts: Record<keyof typeof QUALITY_BLEND, number>): number {
  return (
    QUALITY_BLEND.satisfaction * parts.satisfaction +
    QUALITY_BLEND.growth * parts.growth +
    QUALITY_BLEND.friction * parts.friction +
    QUALITY_BLEND.safety * parts.safety
  )
}

/** How users felt follows from how satisfied they were and how much stood in their way. */
function drawLabels(
  about: { satisfaction: number; friction: number; commercialIntent: number },
  deviation: () => number,
): DayValues['labels'] {
  const within = (value: number, low: number) => roundScore(clamp(value + deviation(), low, 1))
  return {
    averageUserSentiment: within(0.08 + 0.86 * about.satisfaction, 0),
    averageChangeInUserSentiment: within(1.1 * (about.satisfaction - about.friction) - 0.3, -1),
    averageFrustration: within(0.7 * about.friction + 0.25 * (1 - about.satisfaction), 0),
    averageStruggle: within(0.95 * about.friction, 0),
    averageCommercialIntent: within(about.commercialIntent, 0),
  }
}

function drawDetections(persona: Persona, today: Circumstances, chance: Random): DayValues['detections'] {
  const count = (field: DetectionField) => {
    const expected = (persona.detections[field] / 1000) * today.messages * (today.bad ? 3 : 1)
    return Math.min(today.messages, roundStochastically(expected * (1 + 0.5 * noise(chance)), chance))
  }
  return {
    hallucinationCount: count('hallucinationCount'),
    jailbreakCount: count('jailbreakCount'),
    userBiasCount: count('userBiasCount'),
    modelBiasCount: count('modelBiasCount'),
    userToxicityCount: count('userToxicityCount'),
    modelToxicityCount: count('modelToxicityCount'),
  }
}

/** Ratings are 1 to 5, and satisfied users give more. */
function drawRatings(
  { persona, least }: Character,
  satisfaction: number,
  conversations: number,
  chance: Random,
): DayValues['ratings'] {
  const drawn = Math.min(conversations, roundStochastically(conversations * persona.ratedShare, chance))
  const count = Math.max(drawn, least.ratings)
  const mean = 1.2 + 3.8 * satisfaction + 0.2 * noise(chance)
  return { count, sum: clamp(Math.round(count * mean), count, 5 * count) }
}

/** A whole number whose average is `expected`: 0.3 is 1 on three days of ten. */
function roundStochastically(expected: number, chance: Random): number {
  return Math.floor(expected + uniform(chance))
}
