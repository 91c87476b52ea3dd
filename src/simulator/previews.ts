import type { Contract } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { analyticsBody } from '../operations/analytics.ts'
import {
  buildPath,
  type Preview,
  type Previewer,
  parseKnownScenarios,
  scenarioHint,
} from '../reports/hint-finder.ts'
import { type Catalogue, noOverrides } from '../scenarios/definition.ts'
import type { World } from '../simulation/analytics.ts'

const analyticsOperation = 'getModelAnalytics'

interface PreviewDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
}

/**
 * Creates a previewer. It computes the analytics under each scenario of the data family, for the first model of the fixtures without a
 * scenario or shape of its own.
 */
export function createPreviewer({ contract, fixtures, catalogue, world }: PreviewDeps): Previewer {
  const operation = contract.operations.find(({ id }) => id === analyticsOperation)
  const model = fixtures.models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
  if (!operation || !model) return () => []
  const path = buildPath(contract, operation, { modelId: model.id })
  const names = [...world.personas, 'no-null', 'all-null']
  const scenarios = names.filter((name) => catalogue.find(name)?.family === 'data')
  return (id, seed, now) =>
    id === analyticsOperation ? scenarios.map((scenario) => createPreview(scenario, seed, now)) : []

  function createPreview(text: string, seed: string, now: number): Preview {
    const [active] = parseKnownScenarios(text, catalogue)
    const effect = active?.definition.effect(active.values)
    const overrides = { ...noOverrides, ...(effect?.kind === 'data' && effect.overrides) }
    const query = { seed, modelId: model?.id.toLowerCase() ?? '', days: 30, now } as const
    return {
      hint: scenarioHint(text, path),
      status: operation?.successStatus ?? 200,
      body: analyticsBody(world, query, overrides),
    }
  }
}
