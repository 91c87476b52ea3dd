import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { findSimilar } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Operation, RawParameters } from './contract.ts'
import { isMemberOf } from './parameters.ts'

/** The documented names of an object, and of the objects in it. */
interface DocumentedNames {
  readonly members: ReadonlyMap<string, DocumentedNames>
  /** The names of the items, if the value is an array. */
  readonly items: DocumentedNames | undefined
}

/** The documented names of one operation. */
interface OperationNames {
  readonly query: readonly string[]
  /** The query parameters whose members are sent as parameters of their own: `filter[min]`. */
  readonly deepObjects: readonly string[]
  readonly body: DocumentedNames | undefined
}

/** The names of each operation, collected when it is first used. */
const namesOfOperation = new WeakMap<Operation, OperationNames>()

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
  const names = namesOfOperation.get(operation) ?? collectNames(operation)
  const findings: Violation[] = []
  for (const name in query) {
    if (names.query.includes(name) || names.deepObjects.some((each) => isMemberOf(each, name))) continue
    if (findings.length < MAX_FINDINGS) findings.push(unknownParameter(name, names.query))
  }
  if (names.body && body !== undefined)
    findUnknownMembers(names.body, body, '', { findings, comparisons: MAX_COMPARED })
  return findings
}

function collectNames(operation: Operation): OperationNames {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  const query = [...parameters.map(({ name }) => name), ...operation.queryKeys]
  const deepObjects = parameters.filter(({ isDeepObject }) => isDeepObject).map(({ name }) => name)
  const schema = operation.bodySchema()
  const names = { query, deepObjects, body: schema && listDocumentedNames(schema) }
  namesOfOperation.set(operation, names)
  return names
}

/** Collects the names of a schema without references. The `$ref` of a recursive schema ends the collection. */
function listDocumentedNames({ properties, items }: JsonObject): DocumentedNames {
  const described = Object.entries(isObject(properties) ? properties : {})
  return {
    members: new Map(described.map(([name, inner]) => [name, listDocumentedNames(isObject(inner) ? inner : {})])),
    items: isObject(items) ? listDocumentedNames(items) : undefined,
  }
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

function findUnknownMembers(names: DocumentedNames, value: Json, pointer: string, search: Search): void {
  const { members, items } = names
  if (items && Array.isArray(value))
    for (const [index, item] of value.entries()) findUnknownMembers(items, item, `${pointer}/${index}`, search)
  if (members.size === 0 || !isObject(value)) return
  for (const name in value) {
    const inner = members.get(name)
    const member = value[name]
    if (inner === undefined) compareMember(members, value, name, pointer, search)
    // Most members are texts and numbers, and a pointer takes longer than all else here.
    else if (typeof member === 'object') findUnknownMembers(inner, member, joinPointer(pointer, name), search)
  }
}

/** Adds a finding if the object lacks a similar documented name; beside the documented one, the other is intended. */
function compareMember(
  members: DocumentedNames['members'],
  value: JsonObject,
  name: string,
  pointer: string,
  search: Search,
): void {
  if (search.comparisons === 0 || search.findings.length >= MAX_FINDINGS) return
  search.comparisons -= 1
  const similar = findSimilar(name, members.keys())
  if (similar === undefined || Object.hasOwn(value, similar)) return
  search.findings.push({
    in: 'body',
    pointer: joinPointer(pointer, name),
    keyword: 'similar-name',
    message: `is not documented, and has no effect; did you mean "${similar}"?`,
  })
}
