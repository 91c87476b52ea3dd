import { deriveChance } from '../../base/core/seeded.ts'

/** The analytics fields that are scores. Data points also have these fields. */
export const SCORE_FIELDS = [
  'avgConversationQualityIndex',
  'avgSatisfactionScore',
  'avgGrowthScore',
  'avgFrictionScore',
  'avgSafetyScore',
] as const

export type ScoreField = (typeof SCORE_FIELDS)[number]

/** The analytics fields that count detections, one for each kind of detection. */
export const DETECTION_FIELDS = [
  'hallucinationCount',
  'jailbreakCount',
  'userBiasCount',
  'modelBiasCount',
  'userToxicityCount',
  'modelToxicityCount',
] as const
export type DetectionField = (typeof DETECTION_FIELDS)[number]

export const LABEL_FIELDS = [
  'averageUserSentiment',
  'averageChangeInUserSentiment',
  'averageFrustration',
  'averageStruggle',
  'averageCommercialIntent',
] as const
export type LabelField = (typeof LABEL_FIELDS)[number]

export const mapToRecord = <K extends string, V>(keys: readonly K[], toValue: (key: K) => V) =>
  Object.fromEntries(keys.map((key) => [key, toValue(key)])) as Record<K, V>

/** A kind of model: the parameters from which its daily data is generated. `fixtures/personas.yaml` explains them. */
export interface Persona {
  readonly name: string
  readonly about: string
  /** The relative frequency among models without a persona in the fixtures. If it is 0, the persona is never drawn. */
  readonly weight: number
  readonly traffic: Traffic
  /** Typical values, from 0 to 1. */
  readonly scores: {
    readonly satisfaction: number
    readonly growth: number
    /** The only score for which lower is better; 1 is the most friction. */
    readonly friction: number
    readonly safety: number
    readonly commercialIntent: number
  }
  /** The scale (0 to 0.3) of the random deviation of a day's scores from the typical scores. */
  readonly spread: number
  /** Over `days` days, scores improve by up to `change` (or worsen if it is negative). Then the drift restarts. */
  readonly drift?: { readonly days: number; readonly change: number }
  /** Bad days: their probability, and how much worse their scores are. */
  readonly incidents?: { readonly chance: number; readonly depth: number }
  /** Detections per 1,000 messages. */
  readonly detections: Readonly<Record<DetectionField, number>>
  /** The fraction (0 to 1) of conversations that users rate. */
  readonly ratedShare: number
  /** The fields that have no data regardless of traffic, as if their analysis were switched off. */
  readonly switchedOff?: readonly (LabelField | DetectionField)[]
}

export interface Traffic {
  /** The typical number of conversations on a working day. */
  readonly conversationsPerDay: number
  readonly messagesPerConversation: number
  /** The traffic on a weekend day as a multiple of a working day's traffic. */
  readonly weekend: number
  /** The probability (0 to 1) of a day without any conversations. */
  readonly silence: number
  /** A cycle of `days` days: `silentDays` without traffic, then `climbDays` of rising traffic, then full traffic. */
  readonly cycle?: { readonly days: number; readonly silentDays: number; readonly climbDays: number }
}

export interface KnownModel {
  readonly id: string
  readonly name: string
  readonly about: string
  /** The model's persona; by default, one is drawn, as for a model that is not in the fixtures. */
  readonly persona?: string
  readonly shape?: 'no-null' | 'all-null'
  /** The scenario for this model's requests, if any, unless a control header selects a different one. */
  readonly scenario?: string
}

/** Draws a persona according to the weights. A given seed and model always yield the same persona. */
export function drawPersona(personas: readonly Persona[], seed: string, modelId: string): Persona {
  const total = personas.reduce((sum, { weight }) => sum + weight, 0)
  let rest = deriveChance([seed, modelId, 'persona']) * total
  for (const persona of personas) {
    rest -= persona.weight
    if (rest < 0) return persona
  }
  throw new Error('personas.yaml must give at least one persona a weight above 0')
}
