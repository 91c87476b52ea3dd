import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { parseReference, valueAt } from '../core/json-pointer.ts'

/**
 * Returns a schema in which every `$ref` is replaced by its target. Members beside a `$ref` win over those of the target. The
 * `$ref` of a recursive schema to itself stays, because its expansion has no end.
 */
export function dereference(document: JsonObject, schema: JsonObject): JsonObject {
  return expandObject(document, schema, [])
}

function expand(document: JsonObject, value: Json, expanding: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => expand(document, item, expanding))
  return isObject(value) ? expandObject(document, value, expanding) : value
}

function expandObject(document: JsonObject, value: JsonObject, expanding: readonly string[]): JsonObject {
  const { $ref, ...beside } = value
  if (typeof $ref !== 'string') return expandMembers(document, value, expanding)
  const pointer = parseReference($ref)
  const target = pointer === undefined ? undefined : valueAt(document, pointer)
  if (pointer === undefined || expanding.includes(pointer) || !isObject(target)) return value
  return {
    ...expandObject(document, target, [...expanding, pointer]),
    ...expandMembers(document, beside, expanding),
  }
}

function expandMembers(document: JsonObject, value: JsonObject, expanding: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expand(document, member, expanding)]),
  )
}
