import type { Contract } from '../contract/contract.ts'
import type { RequestQuery } from '../exchange/match.ts'
import {
  findUnknownFields,
  findUnknownOperation,
  findUnknownParameter,
} from '../scenarios/rule-match-problems.ts'

/** Finds an operation, a query parameter or a field of the body that the contract does not have; undefined: none. */
export function findUnknownName(
  { operation, match }: RequestQuery,
  { operations }: Contract,
): string | undefined {
  const named = operations.filter(({ id }) => operation === undefined || id === operation)
  const unknown = findUnknownOperation(operation, operations)
  if (unknown !== undefined) return unknown
  const parameter = findUnknownParameter(match?.query ?? {}, named)
  if (parameter !== undefined) return `${parameter} A request with another one is found with "force": true.`
  const [field] = findUnknownFields(match?.body ?? {}, named)
  return field && `${field} A request with other fields is found with "force": true.`
}
