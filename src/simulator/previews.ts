import type { Contract } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { declarations } from '../operations/index.ts'
import { type Preview, type Previewer, parseKnownScenarios, scenarioHint } from '../reports/hint-finder.ts'
import { type Catalogue, type DataOverrides, noOverrides } from '../scenarios/definition.ts'
import type { World } from '../simulation/analytics.ts'
import { buildModelPath, findOrdinaryModel } from './ordinary-model.ts'

interface PreviewDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
}

/**
 * Creates a previewer. It invents the answers of the operations that can, under each scenario of the data family, for an
 * ordinary model.
 */
export function createPreviewer({ contract, fixtures, catalogue, world }: PreviewDeps): Previewer {
  const model = findOrdinaryModel(fixtures)
  const names = [...world.personas, 'no-null', 'all-null']
  const scenarios = names.filter((name) => catalogue.find(name)?.family === 'data')
  return (id, seed, now) => {
    const operation = contract.operations.find((one) => one.id === id)
    const declaration = declarations.find(({ operationId }) => operationId === id)
    if (!operation || !model || !declaration?.invent) return []
    const path = buildModelPath(contract, operation, model.id)
    const query = { seed, modelId: model.id.toLowerCase(), now }
    return scenarios.map((scenario): Preview => {
      const body = declaration.invent?.(world, query, overridesOf(scenario, catalogue)) ?? null
      return { hint: scenarioHint(scenario, path), status: operation.successStatus, body }
    })
  }
}

function overridesOf(scenario: string, catalogue: Catalogue): DataOverrides {
  const [active] = parseKnownScenarios(scenario, catalogue)
  const effect = active?.definition.effect(active.values)
  return { ...noOverrides, ...(effect?.kind === 'data' && effect.overrides) }
}
