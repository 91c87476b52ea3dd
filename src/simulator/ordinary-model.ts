import type { Contract, Operation } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { declarations } from '../operations/index.ts'
import { buildPath } from '../reports/hint-finder.ts'
import type { KnownModel } from '../simulation/persona.ts'

/** The names of path parameters that take the id of a model. An operation without a handler means the same by them. */
const modelParameters = new Set(declarations.flatMap(({ modelParameter }) => modelParameter ?? []))

/** The value of a path parameter that is not known. */
const placeholder = 'ID'

/** Finds the first model of the fixtures without a scenario or shape of its own, whose answers are ordinary; undefined: there is none. */
export function findOrdinaryModel({ models }: Fixtures): KnownModel | undefined {
  return models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
}

/** Returns true if the path of an operation has no parameter but the id of a model. */
export function isPathOfModel({ parameters }: Operation): boolean {
  return parameters.every((parameter) => parameter.in !== 'path' || modelParameters.has(parameter.name))
}

/** Returns the path of a request about a model: `/v1/models/ID/analytics`. Other path parameters are `ID`, for the reader to replace. */
export function buildModelPath(contract: Contract, operation: Operation, modelId = placeholder): string {
  const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const values = names.map((name) => [name, modelParameters.has(name) ? modelId : placeholder])
  return buildPath(contract, operation, Object.fromEntries(values))
}
