import type { Contract } from './contract/contract.ts'
import type { Fixtures } from './fixtures.ts'
import { byScenario, type Preview, type Previewer, pathTo } from './journal/ways.ts'
import { figures } from './operations/analytics.ts'
import type { Catalogue } from './scenarios/catalogue.ts'
import { unshaped } from './scenarios/effects.ts'
import { parseScenarios } from './scenarios/parse.ts'
import type { World } from './simulation/analytics.ts'

const analytics = 'getModelAnalytics'

interface Parts {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly catalogue: Catalogue
  readonly world: World
}

/** The figures that each scenario of the data family gives, of a model that nothing else is said about. */
export function previewer({ contract, fixtures, catalogue, world }: Parts): Previewer {
  const operation = contract.operations.find(({ id }) => id === analytics)
  const model = fixtures.models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
  if (!operation || !model) return () => []
  const path = pathTo(contract, operation, { modelId: model.id })
  const whole = ['no-null', ...world.personas, 'all-null']
  const texts = whole.filter((name) => catalogue.find(name)?.family === 'data')
  return (id, seed, now) => (id === analytics ? texts.map((text) => preview(text, seed, now)) : [])

  function preview(text: string, seed: string, now: number): Preview {
    const parsed = parseScenarios(text, catalogue)
    if (!parsed.ok) throw new Error(parsed.problem) // made from the catalogue itself
    const shaping = parsed.value.reduce((all, { entry, values }) => {
      const effect = entry.effect(values)
      return effect.kind === 'shape' ? { ...all, ...effect.shaping } : all
    }, unshaped)
    const wanted = { seed, modelId: model?.id.toLowerCase() ?? '', days: 30, now } as const
    return {
      way: byScenario(text, path),
      status: operation?.successStatus ?? 200,
      body: figures(world, wanted, shaping),
    }
  }
}
