import type { Contract, Operation } from '../../service/contract/contract.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import { handledOperations } from '../../service/operations/index.ts'
import { type Catalogue, type DataOverrides, noOverrides } from '../../service/scenarios/definition.ts'
import type { Simulate } from '../../service/simulation/analytics.ts'
import type { KnownModel } from '../../service/simulation/persona.ts'
import { type Preview, type Previewer, parseKnownScenarios, scenarioHint } from '../reports/hint-finder.ts'
import type { LoadedInputs } from './loaded-inputs.ts'

/** The names of path parameters for a model ID. Operations without a handler are assumed to use the same names. */
const modelParameters = new Set(handledOperations.flatMap(({ modelParameter }) => modelParameter ?? []))

const placeholder = 'ID'

/** Returns the first model, if any, that gets ordinary responses because it has no scenario and no shape. */
export function findOrdinaryModel({ models }: Fixtures): KnownModel | undefined {
  return models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
}

/** Returns an operation's path for a model. Other path parameters, and a missing model ID, become `ID`. */
export function buildModelPath(operation: Operation, modelId = placeholder): string {
  const fill = (_: string, name: string) => encodeURIComponent(modelParameters.has(name) ? modelId : placeholder)
  return operation.basePath + operation.path.replace(/\{([^{}]*)\}/g, fill)
}

export interface ExampleRequest {
  /** The path of a GET request that succeeds with an ordinary key, such as `/v1/models/<id>/analytics`. */
  readonly path: string
  readonly scenario: string
}

/** Returns a GET request that needs at most a model ID; undefined if there is none. */
export function findExampleRequest(contract: Contract, fixtures: Fixtures): ExampleRequest | undefined {
  const model = findOrdinaryModel(fixtures)
  const operation = contract.operations.find((candidate) => needsAtMostModelId(candidate, model !== undefined))
  if (!operation) return undefined
  const path = buildModelPath(operation, model?.id)
  const errorStatuses = operation.statuses.filter((status) => status >= 400)
  const status = errorStatuses.includes(429) ? 429 : errorStatuses[0]
  return { path, scenario: status === undefined ? 'slow;ms=2000' : String(status) }
}

/** Returns true for a GET operation that needs no parameters or, if `hasModel` is true, just a model ID in its path. */
function needsAtMostModelId({ method, parameters }: Operation, hasModel: boolean): boolean {
  const required = parameters.filter((parameter) => parameter.required)
  return method === 'GET' && required.every((each) => each.in === 'path' && hasModel && modelParameters.has(each.name))
}

export function createPreviewer(
  { contract, handled, fixtures, catalogue }: LoadedInputs,
  simulate: Simulate,
): Previewer {
  const model = findOrdinaryModel(fixtures)
  const names = [...fixtures.personas.map(({ name }) => name), 'no-null', 'all-null']
  const scenarios = names.filter((name) => catalogue.find(name)?.family === 'data')
  return (id, seed, now) => {
    const operation = contract.operations.find((candidate) => candidate.id === id)
    const declaration = handledOperations.find(({ operationId }) => operationId === id)
    if (!operation || !model || !handled.has(id) || !declaration?.generate) return []
    const path = buildModelPath(operation, model.id)
    const query = { seed, modelId: model.id.toLowerCase(), now }
    return scenarios.map((scenario): Preview => {
      const body = declaration.generate?.(simulate, query, overridesOf(scenario, catalogue)) ?? null
      return { hint: scenarioHint(scenario, path), status: operation.successStatus, body }
    })
  }
}

function overridesOf(scenario: string, catalogue: Catalogue): DataOverrides {
  const [active] = parseKnownScenarios(scenario, catalogue)
  const effect = active?.definition.effect(active.values)
  return { ...noOverrides, ...(effect?.kind === 'data' && effect.overrides) }
}
