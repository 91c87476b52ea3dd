import { draw, noise, type Random, uniform } from './chance.ts'
import type { Persona, Traffic } from './persona.ts'

/** What is a model's own, whatever its persona: two healthy models are not the same model. */
export interface Traits {
  /** Factors on the persona's traffic. */
  readonly volume: number
  readonly length: number
  /** Added to the persona's typical scores. */
  readonly tilt: {
    readonly satisfaction: number
    readonly growth: number
    readonly friction: number
    readonly safety: number
  }
  /** Where in its slow waves and its cycle the model is on day 0, as a share of one turn. */
  readonly phases: { readonly slow: number; readonly slower: number; readonly cycle: number }
}

export function drawTraits(seed: string, modelId: string): Traits {
  return draw([seed, modelId, 'traits'], (chance) => ({
    volume: 0.65 + uniform(chance) * 0.9,
    length: 0.88 + uniform(chance) * 0.26,
    tilt: tiltOf(chance),
    phases: { slow: uniform(chance), slower: uniform(chance), cycle: uniform(chance) },
  }))
}

function tiltOf(chance: Random): Traits['tilt'] {
  return {
    satisfaction: noise(chance) * 0.04,
    growth: noise(chance) * 0.05,
    friction: noise(chance) * 0.04,
    safety: noise(chance) * 0.015,
  }
}

/** Traffic of a working week by day, Sunday first; weekends are the persona's. */
const WEEKDAYS = [0.94, 1.03, 1.08, 1.05, 1, 0.89, 1] as const

/** Traffic of a day as a share of an ordinary working day's. `day` counts from 1970-01-01, a Thursday. */
export function trafficFactor(traffic: Traffic, traits: Traits, day: number): number {
  const weekday = (((day + 4) % 7) + 7) % 7
  const weekend = weekday === 0 || weekday === 6 ? traffic.weekend : 1
  return (WEEKDAYS[weekday] ?? 1) * weekend * (1 + 0.18 * trend(traits, day)) * climb(traffic, traits, day)
}

/** A slow rise and fall of about -1 to 1 that takes two to four months a turn. */
export function trend(traits: Traits, day: number): number {
  return 0.6 * wave(day / 61 + traits.phases.slow) + 0.4 * wave(day / 113 + traits.phases.slower)
}

/** How much better than typical the scores of a drifting persona are on this day: half the change down to half up. */
export function driftOf(persona: Persona, traits: Traits, day: number): number {
  if (persona.drift === undefined) return 0
  const position = fraction(day / persona.drift.days + traits.phases.cycle)
  return (position - 0.5) * persona.drift.change
}

/** 0 on the silent days of a cycle, then up to 1. */
function climb(traffic: Traffic, traits: Traits, day: number): number {
  if (traffic.cycle === undefined) return 1
  const { days, silentDays, climbDays } = traffic.cycle
  // Whole days: a wave must start with a day, not within one.
  const position = (((day + Math.floor(traits.phases.cycle * days)) % days) + days) % days
  if (position < silentDays) return 0
  return Math.min(1, (position - silentDays + 1) / climbDays)
}

/** Like a sine with a turn of 1, of parabolas: Math.sin may differ in its last digit from engine to engine. */
function wave(turns: number): number {
  const position = fraction(turns)
  return position < 0.5 ? 16 * position * (0.5 - position) : -16 * (position - 0.5) * (1 - position)
}

function fraction(value: number): number {
  return value - Math.floor(value)
}
