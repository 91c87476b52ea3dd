import { fileURLToPath } from 'node:url'
import { type Fixtures, loadFixtures } from '../../../src/service/fixtures/fixtures.ts'
import type { Analytics, Simulation } from '../../../src/service/simulation/analytics.ts'
import { createSimulation } from '../../../src/service/simulation/simulation.ts'
import { textsIn } from '../../examples/read-examples.ts'

const bundledFolder = fileURLToPath(new URL('../../../fixtures', import.meta.url))

export const now = Date.parse('2026-01-15T12:00:00.000Z')
export const periods = [7, 30, 90] as const

/** Returns the id of a model that no fixture lists: `unlistedModel(7)`. */
export function unlistedModel(index: number): string {
  return `5ca1ab1e-0000-4000-8000-${String(index).padStart(12, '0')}`
}

export async function loadBundledFixtures(): Promise<Fixtures> {
  const loaded = await loadFixtures(bundledFolder)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error, null, 2))
  return loaded.value
}

export async function bundledSimulation(): Promise<Simulation> {
  return createSimulation(await loadBundledFixtures())
}

/** Returns every text of an assessment. */
export function textsOf({ recommendations }: Analytics): string[] {
  return textsIn(recommendations)
}
