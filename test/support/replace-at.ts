import { isObject, type Json } from '../../src/base/core/json.ts'

/**
 * Replaces, in place, the part of a value at a path of member indexes. Returns the result. An index wraps around at
 * the number of members. If the path is too long, it ends at the first value without members, which is replaced.
 */
export function replaceAt(value: Json, [index, ...rest]: readonly number[], replacement: Json): Json {
  const members = isObject(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : []
  const member = index === undefined ? undefined : members[index % members.length]
  if (member === undefined) return replacement
  const parent = value as Record<string | number, Json> // the value has this member
  parent[member] = replaceAt(parent[member] ?? null, rest, replacement)
  return value
}
