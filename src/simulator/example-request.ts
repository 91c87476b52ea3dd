import type { Contract, Operation } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { declarations } from '../operations/index.ts'
import { buildPath } from '../reports/hint-finder.ts'

/** A request to begin with. */
export interface ExampleRequest {
  /** The path of a GET request that succeeds with any key: `/v1/models/ID/analytics`. */
  readonly path: string
  /** A scenario that makes it fail: `429`. */
  readonly scenario: string
}

/** Finds a GET request without a body or required parameters beside the model's id; undefined where the contract has none. */
export function findExampleRequest(contract: Contract, { models }: Fixtures): ExampleRequest | undefined {
  const model = models.find(({ scenario, shape }) => scenario === undefined && shape === undefined)
  const operation = contract.operations.find((candidate) => isAskedByPath(candidate, model !== undefined))
  if (!operation) return undefined
  const values = Object.fromEntries(modelParametersOf(operation).map((name) => [name, model?.id ?? '']))
  const path = buildPath(contract, operation, values)
  const failing = operation.statuses.filter((status) => status >= 400)
  const status = failing.includes(429) ? 429 : failing[0]
  return { path, scenario: status === undefined ? 'slow;ms=2000' : String(status) }
}

/** Returns true for a GET request whose only required parameters are models in its path. */
function isAskedByPath(operation: Operation, hasModel: boolean): boolean {
  const required = operation.parameters.filter((parameter) => parameter.required)
  const known = hasModel ? modelParametersOf(operation) : []
  return operation.method === 'GET' && required.every(({ name }) => known.includes(name))
}

/** Returns the parameters of the path that take the id of a model. */
function modelParametersOf({ id }: Operation): readonly string[] {
  return declarations.find(({ operationId }) => operationId === id)?.pathParameters ?? []
}
