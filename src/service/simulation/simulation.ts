/**
 * `service/simulation/`: generates analytics with pure functions. No other folder in `src` imports faker.
 *
 * `createSimulation` returns a function that computes the analytics for a query in four steps: it chooses a persona
 * (persona.ts), draws each day (day.ts), adds up the days (period.ts), and assesses them (assessment.ts).
 */
import { dayOf, isoDateOf } from '../../base/core/instant.ts'
import type { Analytics, AnalyticsQuery, DataPoint, LabelScore, Simulate } from './analytics.ts'
import { assess } from './assessment.ts'
import { clamp, type Day, drawDay, roundScore } from './day.ts'
import { aggregate, type PeriodTotals } from './period.ts'
import {
  drawPersona,
  type KnownModel,
  LABEL_FIELDS,
  type LabelField,
  mapToRecord,
  type Persona,
  SCORE_FIELDS,
} from './persona.ts'
import type { Phrases } from './phrases.ts'
import { drawTraits } from './seasonality.ts'

interface SimulationFixtures {
  readonly personas: readonly Persona[]
  readonly models: readonly KnownModel[]
  readonly phrases: Phrases
}

/** The minimum counts for each day if the shape is `no-null`. Seven such days reach `MIN_CONVERSATIONS`. */
const MIN_FOR_NO_NULL = { conversations: 5, ratings: 1 }

export function createSimulation({ personas, models, phrases }: SimulationFixtures): Simulate {
  const personaByName = new Map(personas.map((persona) => [persona.name, persona]))
  const modelById = new Map(models.map((model) => [model.id.toLowerCase(), model]))

  function getPersona(name: string): Persona {
    const persona = personaByName.get(name)
    // The names in fixtures and scenarios have already been checked, so an unknown name is a bug.
    if (!persona) throw new Error(`unknown persona "${name}"; known: ${[...personaByName.keys()].join(', ')}`)
    return persona
  }

  return (query) => {
    const modelId = query.modelId.toLowerCase()
    const model = modelById.get(modelId)
    const personaName = query.persona ?? model?.persona
    const persona = personaName === undefined ? drawPersona(personas, query.seed, modelId) : getPersona(personaName)
    // If the query names a persona, the shape in the model's fixture does not apply.
    const shape = query.shape ?? (query.persona === undefined ? model?.shape : undefined)
    const days = shiftQuality(drawDays(persona, { ...query, modelId, shape }), query.qualityShift)
    const totals = aggregate(days, shape === 'no-null' ? [] : (persona.switchedOff ?? []))
    const recommendations = assess({ seed: query.seed, modelId, name: model?.name }, totals, phrases)
    return toAnalytics(totals, recommendations)
  }
}

function drawDays(persona: Persona, { seed, modelId, shape, days, now }: AnalyticsQuery): Day[] {
  const minimum = shape === 'no-null' ? MIN_FOR_NO_NULL : { conversations: 0, ratings: 0 }
  const profile = { seed, modelId, persona, traits: drawTraits(seed, modelId), minimum }
  const first = dayOf(now) - days + 1
  return Array.from({ length: days }, (_, index) => {
    const day = first + index
    if (shape === 'all-null') return { day, conversations: 0, messages: 0, values: null }
    return drawDay(profile, day)
  })
}

/** Adds the effect of events to the quality of each day that has conversations. No other value changes. */
function shiftQuality(days: Day[], qualityShift: AnalyticsQuery['qualityShift']): Day[] {
  if (!qualityShift) return days
  return days.map((each) => {
    if (!each.values) return each
    const { scores } = each.values
    const shifted = scores.avgConversationQualityIndex + qualityShift(isoDateOf(each.day))
    const avgConversationQualityIndex = roundScore(clamp(shifted, 0, 1))
    return { ...each, values: { ...each.values, scores: { ...scores, avgConversationQualityIndex } } }
  })
}

function toAnalytics(totals: PeriodTotals, recommendations: Analytics['recommendations']): Analytics {
  const { labels, detections } = totals
  const label = (field: LabelField): LabelScore | null => {
    const score = labels[field]
    return score === null ? null : labelScore(field, score)
  }
  return {
    ...totals.scores,
    ...mapToRecord(LABEL_FIELDS, label),
    ...detections,
    recommendations,
    conversationCount: totals.conversations,
    messageCount: totals.messages,
    averageConversationRating: totals.rating,
    dataPoints: totals.days.map(toDataPoint),
  }
}

const NO_SCORES = mapToRecord(SCORE_FIELDS, () => null)

function toDataPoint({ day, conversations, messages, values }: Day): DataPoint {
  return {
    date: `${isoDateOf(day)}T00:00:00.000Z`,
    ...(values?.scores ?? NO_SCORES),
    conversationCount: conversations,
    messageCount: messages,
  }
}

/** The range of scores for a label. It starts at the end of the previous band. */
export interface LabelBand {
  readonly label: string
  readonly end: number
  readonly includesEnd?: boolean
}

const strainBands = [
  { label: 'none', end: 0.2 },
  { label: 'low', end: 0.4 },
  { label: 'moderate', end: 0.6 },
  { label: 'high', end: 0.8 },
  { label: 'severe', end: 1, includesEnd: true },
] as const

export const LABEL_BANDS = {
  averageUserSentiment: [
    { label: 'very_negative', end: 0.2 },
    { label: 'negative', end: 0.4 },
    { label: 'neutral', end: 0.6 },
    { label: 'positive', end: 0.8 },
    { label: 'very_positive', end: 1, includesEnd: true },
  ],
  averageChangeInUserSentiment: [
    { label: 'declined', end: -0.3 },
    { label: 'slightly_declined', end: -0.05 },
    { label: 'unchanged', end: 0.05, includesEnd: true },
    { label: 'slightly_improved', end: 0.3, includesEnd: true },
    { label: 'improved', end: 1, includesEnd: true },
  ],
  averageFrustration: strainBands,
  averageStruggle: strainBands,
  averageCommercialIntent: [
    { label: 'none', end: 0.25 },
    { label: 'low', end: 0.5 },
    { label: 'medium', end: 0.75 },
    { label: 'high', end: 1, includesEnd: true },
  ],
} as const satisfies Record<LabelField, readonly LabelBand[]>

function labelScore(field: LabelField, score: number): LabelScore {
  const bands: readonly LabelBand[] = LABEL_BANDS[field]
  const band = bands.find(({ end, includesEnd }) => score < end || (includesEnd === true && score === end))
  if (band === undefined) throw new Error(`${field} cannot be ${score}`)
  return { label: band.label, score }
}
