import { isObject, type Json, type JsonObject } from './json.ts'

/** The number of members of each object that was compared, since a body is compared with the values of many rules. */
const memberCounts = new WeakMap<JsonObject, number>()

/** Returns true if JSON values are equal in any order of members. The time depends on the expected value only. */
export function isSameJson(expected: Json, actual: Json | undefined): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false
    return expected.every((item, index) => isSameJson(item, actual[index]))
  }
  if (!isObject(expected)) return expected === actual
  if (!isObject(actual)) return false
  const members = Object.entries(expected)
  return (
    members.every(([name, value]) => Object.hasOwn(actual, name) && isSameJson(value, actual[name])) &&
    members.length === countMembers(actual)
  )
}

function countMembers(object: JsonObject): number {
  const known = memberCounts.get(object)
  if (known !== undefined) return known
  const count = Object.keys(object).length
  memberCounts.set(object, count)
  return count
}
