import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { findSimilar } from '../core/similar.ts'
import { cutText } from '../core/text.ts'
import type { Violation } from '../documents/violation.ts'
import type { Operation, RawParameters } from './contract.ts'
import { isMemberOf } from './parameters.ts'

/** The largest number of findings of one request, and of unknown members that are compared in one body. */
const MAX_FINDINGS = 20
const MAX_COMPARED = 1000

/**
 * Finds probable typing errors that the contract lets pass: undocumented query parameters, and members of the body that
 * differ from a documented one by a letter or a capital. Other undocumented members may be intended.
 */
export function findUnknownNames(
  operation: Operation,
  query: RawParameters['query'],
  body: Json | undefined,
): Violation[] {
  const findings: Violation[] = []
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  const known = [...parameters.map(({ name }) => name), ...operation.queryKeys]
  for (const name in query) {
    if (known.includes(name) || findings.length >= MAX_FINDINGS) continue
    const isMember = parameters.some((parameter) => parameter.isDeepObject && isMemberOf(parameter.name, name))
    if (!isMember) findings.push(unknownParameter(name, known))
  }
  const schema = operation.bodySchema()
  if (schema && body !== undefined) findUnknownMembers(schema, body, '', { findings, comparisons: MAX_COMPARED })
  return findings
}

function unknownParameter(name: string, known: readonly string[]): Violation {
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

/** Searches a value by its schema, which has no references but that of a recursive schema, where the search ends. */
function findUnknownMembers(schema: Json | undefined, value: Json, pointer: string, search: Search): void {
  const { properties, items } = isObject(schema) ? schema : {}
  if (isObject(items) && Array.isArray(value))
    for (const [index, item] of value.entries()) findUnknownMembers(items, item, `${pointer}/${index}`, search)
  if (!isObject(properties) || !isObject(value)) return
  for (const name in value) {
    const member = value[name]
    if (!Object.hasOwn(properties, name)) compareMember(properties, value, name, pointer, search)
    // Most members are texts and numbers, and a pointer takes longer than all else here.
    else if (typeof member === 'object')
      findUnknownMembers(properties[name], member, joinPointer(pointer, name), search)
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
