import { dayOf, nameOfDay } from '../core/utc-day.ts'
import type { Analytics, AnalyticsQuery, DataPoint, LabelScore, World } from './analytics.ts'
import { assess } from './assessment.ts'
import { type Day, drawDay } from './day.ts'
import { labelled } from './labels.ts'
import { aggregate, type PeriodTotals } from './period.ts'
import { drawPersona, type KnownModel, type LabelField, type Persona } from './persona.ts'
import type { Phrases } from './phrases.ts'
import { drawTraits } from './rhythm.ts'
import { clamp, roundScore } from './rounding.ts'

/** What the world is made of. */
export interface WorldFixtures {
  readonly personas: readonly Persona[]
  readonly models: readonly KnownModel[]
  readonly phrases: Phrases
}

/** Where every field must have data, a day has at least this much: enough for an assessment of 7 days. */
const MIN_FOR_NO_NULL = { conversations: 5, ratings: 1 }

/** The invented world of these fixtures. It remembers nothing: equal queries have equal answers. */
export function createWorld({ personas, models, phrases }: WorldFixtures): World {
  const personaByName = new Map(personas.map((persona) => [persona.name, persona]))
  const modelById = new Map(models.map((model) => [model.id.toLowerCase(), model]))

  function named(name: string): Persona {
    const persona = personaByName.get(name)
    // Whoever takes a name from a request checks it first; an unknown one here is a bug.
    if (!persona) throw new Error(`unknown persona "${name}"; known: ${[...personaByName.keys()].join(', ')}`)
    return persona
  }

  function personaFor(seed: string, modelId: string): Persona {
    const fixed = modelById.get(modelId)?.persona
    return fixed === undefined ? drawPersona(personas, seed, modelId) : named(fixed)
  }

  return {
    personas: personas.map(({ name }) => name),
    personaOf: (seed, modelId) => personaFor(seed, modelId.toLowerCase()).name,
    analytics(query) {
      const modelId = query.modelId.toLowerCase()
      const model = modelById.get(modelId)
      const persona = query.persona === undefined ? personaFor(query.seed, modelId) : named(query.persona)
      // A persona that was asked for comes before the shape that the model has by its fixture.
      const shape = query.shape ?? (query.persona === undefined ? model?.shape : undefined)
      const days = shiftQuality(daysOf({ ...query, modelId, persona, shape }), query.qualityShift)
      const figures = aggregate(days, shape === 'no-null' ? [] : (persona.switchedOff ?? []))
      const recommendations = assess({ seed: query.seed, modelId, name: model?.name }, figures, phrases)
      return present(figures, recommendations)
    },
  }
}

interface Asked extends Omit<AnalyticsQuery, 'persona'> {
  readonly persona: Persona
}

/** The days up to the one of `now`, oldest first. */
function daysOf({ seed, modelId, persona, shape, days, now }: Asked): Day[] {
  const least = shape === 'no-null' ? MIN_FOR_NO_NULL : { conversations: 0, ratings: 0 }
  const character = { seed, modelId, persona, traits: drawTraits(seed, modelId), least }
  const first = dayOf(now) - days + 1
  return Array.from({ length: days }, (_, index) => {
    const day = first + index
    if (shape === 'all-null') return { day, conversations: 0, messages: 0, values: null }
    return drawDay(character, day)
  })
}

/** Events move the quality of days that have conversations, and nothing else of a day. */
function shiftQuality(days: Day[], qualityShift: AnalyticsQuery['qualityShift']): Day[] {
  if (!qualityShift) return days
  return days.map((each) => {
    if (!each.values) return each
    const quality = roundScore(clamp(each.values.quality + qualityShift(nameOfDay(each.day)), 0, 1))
    return { ...each, values: { ...each.values, quality } }
  })
}

function present(figures: PeriodTotals, recommendations: Analytics['recommendations']): Analytics {
  const { labels, detections } = figures
  const label = (field: LabelField): LabelScore | null => {
    const score = labels[field]
    return score === null ? null : labelled(field, score)
  }
  return {
    avgConversationQualityIndex: figures.quality,
    avgSatisfactionScore: figures.satisfaction,
    avgGrowthScore: figures.growth,
    avgFrictionScore: figures.friction,
    avgSafetyScore: figures.safety,
    averageUserSentiment: label('averageUserSentiment'),
    averageChangeInUserSentiment: label('averageChangeInUserSentiment'),
    averageFrustration: label('averageFrustration'),
    averageStruggle: label('averageStruggle'),
    averageCommercialIntent: label('averageCommercialIntent'),
    ...detections,
    recommendations,
    conversationCount: figures.conversations,
    messageCount: figures.messages,
    averageConversationRating: figures.rating,
    dataPoints: figures.days.map(dataPoint),
  }
}

function dataPoint({ day, conversations, messages, values }: Day): DataPoint {
  return {
    date: `${nameOfDay(day)}T00:00:00.000Z`,
    avgConversationQualityIndex: values?.quality ?? null,
    avgSatisfactionScore: values?.satisfaction ?? null,
    avgGrowthScore: values?.growth ?? null,
    avgFrictionScore: values?.friction ?? null,
    avgSafetyScore: values?.safety ?? null,
    conversationCount: conversations,
    messageCount: messages,
  }
}
