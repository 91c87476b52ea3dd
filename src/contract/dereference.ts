import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { parseReference, valueAt } from '../core/json-pointer.ts'

/**
 * A schema with every `$ref` replaced by what it leads to; what stands beside a `$ref` wins over what it leads to. A
 * schema that holds itself keeps the `$ref` where it comes round again, since it has no end.
 */
export function dereference(document: JsonObject, schema: JsonObject): JsonObject {
  return expandObject(document, schema, [])
}

function expand(document: JsonObject, value: Json, open: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => expand(document, item, open))
  return isObject(value) ? expandObject(document, value, open) : value
}

function expandObject(document: JsonObject, value: JsonObject, open: readonly string[]): JsonObject {
  const { $ref, ...beside } = value
  if (typeof $ref !== 'string') return expandMembers(document, value, open)
  const pointer = parseReference($ref)
  const target = pointer === undefined ? undefined : valueAt(document, pointer)
  if (pointer === undefined || open.includes(pointer) || !isObject(target)) return value
  return {
    ...expandObject(document, target, [...open, pointer]),
    ...expandMembers(document, beside, open),
  }
}

function expandMembers(document: JsonObject, value: JsonObject, open: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expand(document, member, open)]),
  )
}

/** Makes something when it is first wanted, and only then: few schemas are ever looked at whole. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
