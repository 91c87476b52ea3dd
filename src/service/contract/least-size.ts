import { isObject, type Json } from '../../base/core/json.ts'

/** The most values of a response that is generated from its schema: Prism takes 0.7 s for it, and nothing else runs. */
export const maxGenerated = 10_000

/** The length of a text that counts as one value more. */
const lengthOfValue = 100

/** Returns the least number of values in what a dereferenced schema describes, with its optional members. */
export function leastSize(schema: Json | undefined): number {
  if (!isObject(schema) || ['const', 'enum', 'default', 'example', 'examples'].some((name) => name in schema)) return 1
  const { properties, items, prefixItems, allOf, anyOf, oneOf } = schema
  const sizes = (list: Json | undefined) => (Array.isArray(list) ? list.map(leastSize) : [])
  const members = isObject(properties) ? Object.values(properties).map(leastSize) : []
  const ownItems = Math.max(1, numberOf(schema['minItems'])) * leastSize(items)
  return [
    numberOf(schema['minLength']) / lengthOfValue,
    numberOf(schema['minProperties']),
    ...members,
    ...(items === undefined ? [numberOf(schema['minItems'])] : [ownItems]),
    ...sizes(prefixItems),
    ...sizes(allOf),
    ...[anyOf, oneOf].filter(Array.isArray).map((list) => Math.min(...sizes(list))),
  ].reduce((sum, size) => sum + size, 1)
}

const numberOf = (value: Json | undefined) => (typeof value === 'number' ? value : 0)
