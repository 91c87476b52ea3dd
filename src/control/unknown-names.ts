import type { Contract } from '../contract/contract.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { RequestQuery } from '../exchange/match.ts'
import { findFieldProblems } from '../scenarios/rules.ts'

/** Finds an operation that the contract does not have, of which no request could ever be found; undefined: none. */
export function findUnknownOperation(
  operation: string | undefined,
  { operations }: Contract,
): string | undefined {
  const known = operations.map(({ id }) => id)
  if (operation === undefined || known.includes(operation)) return undefined
  return `There is no operation "${operation}". Known: ${known.join(', ')}.`
}

/** Finds an operation, or a field of the body, that the contract does not have; undefined: none. */
export function findUnknownName({ operation, match }: RequestQuery, contract: Contract): string | undefined {
  const unknown = findUnknownOperation(operation, contract)
  if (unknown !== undefined || match?.body === undefined) return unknown
  const asked = contract.operations.filter(({ id }) => operation === undefined || id === operation)
  const body = Object.fromEntries(pointersOf(match.body).map((pointer) => [pointer, null]))
  const [problem] = findFieldProblems({ body }, '', asked)
  return problem && `${problem.message} A request with other fields is found with "force": true.`
}

/** Returns the pointers of a condition on the body, which is written with pointers or as a part of the body. */
function pointersOf(body: JsonObject): string[] {
  const names = Object.keys(body)
  if (names.every((name) => name === '' || name.startsWith('/'))) return names
  return Object.entries(body).flatMap(([name, value]) => {
    const pointer = joinPointer('', name)
    const inner = isObject(value) ? pointersOf(value).map((below) => `${pointer}${below}`) : []
    return inner.length > 0 ? inner : [pointer]
  })
}
