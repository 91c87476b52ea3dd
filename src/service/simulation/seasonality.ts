import type { Persona, Traffic } from './persona.ts'
import { noise, uniform, withSeededRandom } from './random.ts'

/** A model's deviations from its persona: the reason why models with the same persona have different data. */
export interface Traits {
  readonly volumeFactor: number
  readonly lengthFactor: number
  /** The numbers added to the persona's typical scores. */
  readonly tilt: Readonly<Record<'satisfaction' | 'growth' | 'friction' | 'safety', number>>
  /** The phases on 1970-01-01, as fractions of a period: two for `slowWave`, and one shared by cycle and drift. */
  readonly phases: { readonly slow: number; readonly slower: number; readonly cycle: number }
}

/** Draws a model's traits, always the same for a given seed and model. */
export function drawTraits(seed: string, modelId: string): Traits {
  return withSeededRandom([seed, modelId, 'traits'], (random) => ({
    volumeFactor: 0.65 + uniform(random) * 0.9,
    lengthFactor: 0.88 + uniform(random) * 0.26,
    tilt: {
      satisfaction: noise(random) * 0.04,
      growth: noise(random) * 0.05,
      friction: noise(random) * 0.04,
      safety: noise(random) * 0.015,
    },
    phases: { slow: uniform(random), slower: uniform(random), cycle: uniform(random) },
  }))
}

/** Relative traffic by day of the week, Sunday first, before the persona's weekend factor is applied. */
const WEEKDAYS = [0.94, 1.03, 1.08, 1.05, 1, 0.89, 1] as const

/** Returns a day's traffic relative to a typical working day. `day` counts days from 1970-01-01, a Thursday. */
export function trafficFactor(traffic: Traffic, traits: Traits, day: number): number {
  const weekday = (((day + 4) % 7) + 7) % 7
  const weekend = weekday === 0 || weekday === 6 ? traffic.weekend : 1
  return (WEEKDAYS[weekday] ?? 1) * weekend * (1 + 0.18 * slowWave(traits, day)) * cycleFactor(traffic, traits, day)
}

/** Returns a model's slow oscillation on a day, from -1 to 1: a weighted sum of 61-day and 113-day waves. */
export function slowWave(traits: Traits, day: number): number {
  return 0.6 * wave(day / 61 + traits.phases.slow) + 0.4 * wave(day / 113 + traits.phases.slower)
}

/** Returns the effect of the persona's drift on a day's scores: from `-change / 2` to `change / 2`; 0 without drift. */
export function driftOf(persona: Persona, traits: Traits, day: number): number {
  if (persona.drift === undefined) return 0
  const position = fraction(day / persona.drift.days + traits.phases.cycle)
  return (position - 0.5) * persona.drift.change
}

/** Returns the traffic factor of the persona's cycle on a day: 0 on silent days, then rising to 1. */
function cycleFactor(traffic: Traffic, traits: Traits, day: number): number {
  if (traffic.cycle === undefined) return 1
  const { days, silentDays, climbDays } = traffic.cycle
  // The phase is rounded down to whole days, so that a cycle starts when a day starts.
  const position = (((day + Math.floor(traits.phases.cycle * days)) % days) + days) % days
  if (position < silentDays) return 0
  return Math.min(1, (position - silentDays + 1) / climbDays)
}

/** Approximates a sine of period 1 with parabolas, because the last digit of Math.sin can differ between engines. */
function wave(turns: number): number {
  const position = fraction(turns)
  return position < 0.5 ? 16 * position * (0.5 - position) : -16 * (position - 0.5) * (1 - position)
}

const fraction = (value: number): number => value - Math.floor(value)
