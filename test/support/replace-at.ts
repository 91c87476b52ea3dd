import { isObject, type Json } from '../../src/base/core/json.ts'

/** Replaces, in place, the value at a path of member indexes, or the last existing value on that path. */
export function replaceAt(value: Json, [index, ...further]: readonly number[], other: Json): Json {
  const members = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : []
  const member = index === undefined ? undefined : members[index % members.length]
  if (member === undefined) return other
  const parent = value as Record<string | number, Json> // it has this member
  parent[member] = replaceAt(parent[member] ?? null, further, other)
  return value
}
