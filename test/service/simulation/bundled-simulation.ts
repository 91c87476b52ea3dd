import { createSimulation } from '../../../src/service/simulation/simulation.ts'
import { inputs } from '../../support/catalogue.ts'

export const { fixtures } = inputs
export const simulate = createSimulation(fixtures)

export const now = Date.parse('2026-01-15T12:00:00.000Z')
export const periods = [7, 30, 90] as const

/** Returns the ID of a model that is not in the fixtures. */
export function unlistedModel(index: number): string {
  return `5ca1ab1e-0000-4000-8000-${String(index).padStart(12, '0')}`
}
