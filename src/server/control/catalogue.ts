import type { Json, JsonObject } from '../../base/core/json.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { describeClientView, exampleOf } from '../../service/scenarios/client-view.ts'
import { probability, type ScenarioDefinition } from '../../service/scenarios/definition.ts'
import type { Parameter } from '../../service/scenarios/parameters.ts'
import type { ControlDeps } from './deps.ts'
import type { ControlHandlers } from './handler.ts'
import { operationsToJson } from './info.ts'

/** Handles `GET catalogue`: everything that a request can name or switch on. */
export function catalogueHandlers({ catalogue, contract, fixtures, handledOperations }: ControlDeps) {
  return {
    getCatalogue: () => ({
      scenarios: catalogue.definitions.map((definition) => scenarioToJson(definition, contract)),
      operations: operationsToJson(contract, handledOperations),
      keys: toJson(fixtures.keys),
      models: toJson(fixtures.models),
      products: toJson(fixtures.products),
    }),
  } satisfies Partial<ControlHandlers>
}

function scenarioToJson(definition: ScenarioDefinition, { operations }: Contract): JsonObject {
  const { name, family, description, parameters } = definition
  const { text, values } = exampleOf(definition)
  const fitting = operations.filter((operation) => definition.inapplicableReason(operation, values) === undefined)
  return {
    name,
    family,
    about: description,
    operations: fitting.map(({ id }) => id),
    example: text,
    ...(fitting[0] && { clientSees: describeClientView(definition.effect(values), fitting[0]) }),
    parameters: [...parameters, probability].map(parameterToJson),
  }
}

function parameterToJson({ required = false, description, ...spec }: Parameter): Json {
  return toJson({ ...spec, about: description, required })
}

/** Copies a value of plain data; members that are undefined are left out. */
const toJson = (value: object): Json => JSON.parse(JSON.stringify(value))
