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
import type { Catalogue } from '../scenarios/definition.ts'
import { noOverrides } from '../scenarios/definition.ts'
import type { World } from '../simulation/analytics.ts'

const analytics = 'getModelAnalytics'

interface PreviewDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
}

/** Creates a previewer: it returns the analytics under each scenario of the data family, for a model without a persona or scenario of its own. */
export function createPreviewer({ contract, fixtures, catalogue, world }: PreviewDeps): Previewer {
  const operation = contract.operations.find(({ id }) => id === analytics)
  const model = fixtures.models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
  if (!operation || !model) return () => []
  const path = buildPath(contract, operation, { modelId: model.id })
  const complete = [...world.personas, 'no-null', 'all-null']
  const texts = complete.filter((name) => catalogue.find(name)?.family === 'data')
  return (id, seed, now) => (id === analytics ? texts.map((text) => preview(text, seed, now)) : [])

  function preview(text: string, seed: string, now: number): Preview {
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
