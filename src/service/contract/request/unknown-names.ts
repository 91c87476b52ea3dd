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

/**
 * Finds probable typing errors that the contract lets pass: undocumented query parameters, and members of the body that
 * differ from a documented one by a letter or a capital. Other undocumented members may be intended.
 */
export function findUnknownNames(operation: Operation, query: RawParameters['query'], body: Json | undefined) {
  const findings: Violation[] = []
  for (const name in query) {
    if (operation.queryKeys.includes(name) || isParameterName(operation.parameters, name)) continue
    if (findings.push(unknownParameter(name, operation)) === MAX_FINDINGS) break
  }
  const schema = operation.bodySchema()
  if (schema && body !== undefined) findUnknownMembers(schema, body, '', { findings, comparisons: MAX_COMPARED })
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

/** The findings of a body so far, and the comparisons that are left: bodies can have any number of members. */
interface Search {
  readonly findings: Violation[]
  comparisons: number
}

/** Compares the members of a value with a schema without references; the `$ref` of a recursive schema ends it. */
function findUnknownMembers({ properties, items }: JsonObject, value: Json, pointer: string, search: Search): void {
  if (isObject(value) && isObject(properties)) compareMembers(properties, value, pointer, search)
  if (!Array.isArray(value) || !isObject(items)) return
  for (const [index, item] of value.entries()) findUnknownMembers(items, item, `${pointer}/${index}`, search)
}

function compareMembers(properties: JsonObject, value: JsonObject, pointer: string, search: Search): void {
  for (const name in value) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    const member = value[name]
    if (inner === undefined) compareMember(properties, value, name, pointer, search)
    // Most members are texts and numbers, and a pointer takes longer than all else here.
    else if (isObject(inner) && typeof member === 'object')
      findUnknownMembers(inner, member, joinPointer(pointer, name), search)
  }
}

/** Adds a finding if the object lacks a similar documented name; beside the documented one, the other is intended. */
function compareMember(properties: JsonObject, value: JsonObject, name: string, pointer: string, search: Search): void {
  if (search.comparisons === 0 || search.findings.length >= MAX_FINDINGS) return
  search.comparisons -= 1
  const similar = findSimilar(name, Object.keys(properties))
  if (similar === undefined || Object.hasOwn(value, similar)) return
  search.findings.push({
    in: 'body',
    pointer: joinPointer(pointer, name),
    keyword: 'similar-name',
    message: `is not documented, and has no effect; did you mean "${similar}"?`,
  })
}
