import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { findSimilar } from '../../../base/core/similar.ts'
import { cutText } from '../../../base/core/text.ts'
import type { Violation } from '../../../base/core/violation.ts'
import type { Operation, RawParameters } from '../contract.ts'
import { isParameterName } from '../parameters.ts'

/** The largest number of findings of one request, and of unknown members that are compared in one body. */
const MAX_FINDINGS = 20
const MAX_COMPARED = 1000

/** Finds probable typing errors that the contract lets pass: unknown query parameters, and members of similar names. */
export function findUnknownNames(operation: Operation, query: RawParameters['query'], body: Json | undefined) {
  const { parameters, queryKeys } = operation
  const isKnown = (name: string) => queryKeys.includes(name) || isParameterName(parameters, name)
  const unknown = Object.keys(query).filter((name) => !isKnown(name))
  const findings = unknown.slice(0, MAX_FINDINGS).map((name) => unknownParameter(name, operation))
  for (const finding of findUnknownMembers(operation.bodySchema(), body, '', { left: MAX_COMPARED })) {
    if (findings.length >= MAX_FINDINGS) break
    findings.push(finding)
  }
  return findings
}

function unknownParameter(name: string, { parameters, queryKeys }: Operation): Violation {
  const known = [...parameters.filter((one) => one.in === 'query').map((one) => one.name), ...queryKeys]
  const similar = findSimilar(name, known)
  const list = known.length === 0 ? 'there is none' : `known: ${known.join(', ')}`
  const hint = similar === undefined ? list : `did you mean "${similar}"?`
  const message = `is no query parameter of this operation, and has no effect; ${hint}`
  return { in: 'query', pointer: joinPointer('', cutText(name)), keyword: 'unknown-parameter', message }
}

/** Compares members with a schema without references. `comparisons`: those left, as bodies can have any number. */
function* findUnknownMembers(
  schema: Json | undefined,
  value: Json | undefined,
  pointer: string,
  comparisons: { left: number },
): Generator<Violation> {
  if (!isObject(schema)) return
  const { items, properties } = schema
  for (const [index, item] of Array.isArray(value) && isObject(items) ? value.entries() : [])
    yield* findUnknownMembers(items, item, `${pointer}/${index}`, comparisons)
  if (!isObject(value) || !isObject(properties)) return
  // Most members are texts and numbers, and a pointer takes longer than all else here.
  for (const [name, inner] of Object.entries(properties))
    if (typeof value[name] === 'object')
      yield* findUnknownMembers(inner, value[name], joinPointer(pointer, name), comparisons)
  yield* compareNames(properties, value, pointer, comparisons)
}

function* compareNames(properties: JsonObject, value: JsonObject, pointer: string, comparisons: { left: number }) {
  for (const name in value) {
    if (Object.hasOwn(properties, name) || comparisons.left === 0) continue
    comparisons.left -= 1
    const similar = findSimilar(name, Object.keys(properties))
    if (similar === undefined || Object.hasOwn(value, similar)) continue // beside the documented one it is intended
    const message = `is not documented, and has no effect; did you mean "${similar}"?`
    yield { in: 'body', pointer: joinPointer(pointer, name), keyword: 'similar-name', message } as const
  }
}
