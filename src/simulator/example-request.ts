import type { Contract, Operation } from '../contract/contract.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import { buildModelPath, findOrdinaryModel, isPathOfModel } from './ordinary-model.ts'

/** A request to begin with. */
export interface ExampleRequest {
  /** The path of a GET request that succeeds with any key: `/v1/models/ID/analytics`. */
  readonly path: string
  /** A scenario that makes it fail: `429`. */
  readonly scenario: string
}

/** Finds a GET request without a body or required parameters beside the model's id; undefined where the contract has none. */
export function findExampleRequest(contract: Contract, fixtures: Fixtures): ExampleRequest | undefined {
  const model = findOrdinaryModel(fixtures)
  const operation = contract.operations.find((candidate) => isAskedByPath(candidate, model !== undefined))
  if (!operation) return undefined
  const path = buildModelPath(contract, operation, model?.id)
  const failing = operation.statuses.filter((status) => status >= 400)
  const status = failing.includes(429) ? 429 : failing[0]
  return { path, scenario: status === undefined ? 'slow;ms=2000' : String(status) }
}

/** Returns true for a GET request whose only required parameters are models in its path. */
function isAskedByPath(operation: Operation, hasModel: boolean): boolean {
  const required = operation.parameters.filter((parameter) => parameter.required)
  const isKnown = hasModel ? isPathOfModel(operation) : !required.some((parameter) => parameter.in === 'path')
  return operation.method === 'GET' && isKnown && required.every((parameter) => parameter.in === 'path')
}
