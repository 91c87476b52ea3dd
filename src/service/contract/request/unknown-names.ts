import { isObject, type Json, type JsonObject, type Violation } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { cutText, findSimilar } from '../../../base/core/text.ts'
import type { Operation, RawParameters } from '../contract.ts'
import { isQueryParameterName } from '../parameters.ts'

/** The maximum number of findings per request, and the maximum number of unknown body members compared. */
const MAX_FINDINGS = 20
const MAX_COMPARED = 1000

/** Finds probable typos that the contract allows: unknown query parameters, and misspelled names in the body. */
export function findUnknownNames(operation: Operation, query: RawParameters['query'], body: Json | undefined) {
  const { parameters, queryApiKeys } = operation
  const isKnown = (name: string) => queryApiKeys.includes(name) || isQueryParameterName(parameters, name)
  const unknown = Object.keys(query).filter((name) => !isKnown(name))
  const findings = unknown.slice(0, MAX_FINDINGS).map((name) => unknownParameter(name, operation))
  findUnknownMembers(operation.bodySchema(), body, '', { findings, left: MAX_COMPARED })
  return findings.slice(0, MAX_FINDINGS)
}

function unknownParameter(name: string, { parameters, queryApiKeys }: Operation): Violation {
  const known = [...parameters.filter((each) => each.in === 'query').map(({ name }) => name), ...queryApiKeys]
  const similar = findSimilar(name, known)
  const list = known.length === 0 ? 'the operation has no query parameters' : `known: ${known.join(', ')}`
  const hint = similar === undefined ? list : `did you mean "${similar}"?`
  const message = `is not a query parameter of this operation and has no effect; ${hint}`
  return { in: 'query', pointer: joinPointer('', cutText(name)), keyword: 'unknown-parameter', message }
}

/** Adds findings for members with names similar to documented names. Compares at most `search.left` names. */
function findUnknownMembers(
  schema: Json | undefined,
  value: Json | undefined,
  pointer: string,
  search: { readonly findings: Violation[]; left: number },
): void {
  if (!isObject(schema)) return
  const { items, properties } = schema
  if (Array.isArray(value) && isObject(items))
    for (const [index, item] of value.entries()) findUnknownMembers(items, item, `${pointer}/${index}`, search)
  if (!isObject(value) || !isObject(properties)) return
  for (const name in value) {
    const inner = value[name]
    if (!Object.hasOwn(properties, name)) compareName(name, properties, value, pointer, search)
    // Most members are strings and numbers. Building pointers for them would take longer than all other work here.
    else if (typeof inner === 'object') findUnknownMembers(properties[name], inner, joinPointer(pointer, name), search)
  }
}

function compareName(
  name: string,
  properties: JsonObject,
  value: JsonObject,
  pointer: string,
  search: { readonly findings: Violation[]; left: number },
): void {
  if (search.left === 0) return
  search.left -= 1
  const similar = findSimilar(name, Object.keys(properties))
  // If the documented member was also sent, the similar name is probably intentional.
  if (similar === undefined || Object.hasOwn(value, similar)) return
  const message = `is not documented and has no effect; did you mean "${similar}"?`
  search.findings.push({ in: 'body', pointer: joinPointer(pointer, name), keyword: 'similar-name', message })
}
