import type { Contract, Operation } from '../contract/contract.ts'
import { cutText } from '../core/cut-text.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import type { RequestMatch, RequestQuery } from '../exchange/match.ts'
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

/** Finds an operation, a query parameter or a field of the body that the contract does not have; undefined: none. */
export function findUnknownName({ operation, match }: RequestQuery, contract: Contract): string | undefined {
  const asked = contract.operations.filter(({ id }) => operation === undefined || id === operation)
  return (
    findUnknownOperation(operation, contract) ??
    findUnknownParameter(match?.query ?? {}, asked) ??
    (match?.body && findUnknownField(match.body, asked))
  )
}

/** Finds an unknown query parameter. One that must be absent (null) may have any name. */
function findUnknownParameter(
  query: NonNullable<RequestMatch['query']>,
  operations: readonly Operation[],
): string | undefined {
  const known = operations.flatMap(({ parameters }) =>
    parameters.filter((parameter) => parameter.in === 'query'),
  )
  const isKnown = (name: string) => known.some((parameter) => parameter.name === name)
  const unknown = Object.keys(query).find((name) => query[name] !== null && !isKnown(name))
  if (unknown === undefined) return undefined
  const list = [...new Set(known.map(({ name }) => name))].join(', ') || 'none'
  return `There is no query parameter "${cutText(unknown)}". Known: ${list}. A request with another one is found with "force": true.`
}

/** The number of fields of a condition that are compared with the contract: a condition can have 10,000. */
const maxFields = 1000

function findUnknownField(condition: JsonObject, operations: readonly Operation[]): string | undefined {
  const body: Record<string, null> = {}
  let count = 0
  for (const pointer of pointersOf(condition)) {
    if (++count > maxFields) break
    body[pointer] = null
  }
  const [problem] = findFieldProblems({ body }, '', operations)
  return problem && `${problem.message} A request with other fields is found with "force": true.`
}

/** Yields the pointers of a condition on the body, which is written with pointers or as a part of the body. */
function* pointersOf(body: JsonObject): Generator<string> {
  const names = Object.keys(body)
  if (names.every((name) => name === '' || name.startsWith('/'))) yield* names
  else yield* partPointers(body, '')
}

function* partPointers(part: JsonObject, above: string): Generator<string> {
  for (const [name, value] of Object.entries(part)) {
    const pointer = joinPointer(above, name)
    if (isObject(value) && Object.keys(value).length > 0) yield* partPointers(value, pointer)
    else yield pointer
  }
}
