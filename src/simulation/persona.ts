import { deriveChance } from '../core/seeded.ts'

/** The fields of the answer that are counted detections, one kind each. */
export const DETECTION_FIELDS = [
  'hallucinationCount',
  'jailbreakCount',
  'userBiasCount',
  'modelBiasCount',
  'userToxicityCount',
  'modelToxicityCount',
] as const
export type DetectionField = (typeof DETECTION_FIELDS)[number]

/** The fields of the answer that are a score with a label. */
export const LABEL_FIELDS = [
  'averageUserSentiment',
  'averageChangeInUserSentiment',
  'averageFrustration',
  'averageStruggle',
  'averageCommercialIntent',
] as const
export type LabelField = (typeof LABEL_FIELDS)[number]

/** What kind of model it is: the parameters of its days (`fixtures/personas.yaml` explains each with its unit). */
export interface Persona {
  readonly name: string
  readonly about: string
  /** How often a model of no fixture gets this persona, relative to the others; 0: never. */
  readonly weight: number
  readonly traffic: Traffic
  /** Typical values, 0 to 1. */
  readonly scores: {
    readonly satisfaction: number
    readonly growth: number
    /** 1 is all friction: the only score where less is better. */
    readonly friction: number
    readonly safety: number
    readonly commercialIntent: number
  }
  /** How far a day's scores stray from the typical ones, 0 to 0.3. */
  readonly spread: number
  /** A change of all scores for the better (or, negative, the worse) over so many days, then all over again. */
  readonly drift?: { readonly days: number; readonly change: number }
  /** Bad days: how likely, and by how much the scores are worse. */
  readonly incidents?: { readonly chance: number; readonly depth: number }
  /** Detections in 1,000 messages. */
  readonly detections: Readonly<Record<DetectionField, number>>
  /** The share of conversations that users rate, 0 to 1. */
  readonly ratedShare: number
  /** Analyses that are not switched on for such a model: these fields have no data, whatever the traffic. */
  readonly switchedOff?: readonly (LabelField | DetectionField)[]
}

export interface Traffic {
  /** On a working day. */
  readonly conversationsPerDay: number
  readonly messagesPerConversation: number
  /** Weekend traffic as a share of a working day's. */
  readonly weekend: number
  /** How likely a day is to have no conversation at all. */
  readonly silence: number
  /** Traffic in waves: silent days, then a climb to full traffic, full until the wave ends. */
  readonly cycle?: { readonly days: number; readonly silentDays: number; readonly climbDays: number }
}

/** A model that fixtures know (`fixtures/models.yaml`). */
export interface KnownModel {
  /** UUID, lower case. */
  readonly id: string
  readonly name: string
  readonly about: string
  /** Without one, the persona is drawn as for any other model. */
  readonly persona?: string
  /** A data shape that the model always has. */
  readonly shape?: 'no-null' | 'all-null'
  /** A scenario that every request for this model meets. */
  readonly scenario?: string
}

/** The persona that chance gives to a model, by the weights; always the same for the same seed and model. */
export function drawPersona(personas: readonly Persona[], seed: string, modelId: string): Persona {
  const total = personas.reduce((sum, { weight }) => sum + weight, 0)
  let rest = deriveChance([seed, modelId, 'persona']) * total
  for (const persona of personas) {
    rest -= persona.weight
    if (rest < 0) return persona
  }
  throw new Error('personas.yaml must give at least one persona a weight above 0')
}
