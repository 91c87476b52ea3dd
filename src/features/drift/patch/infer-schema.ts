import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { OWN_FORMATS } from '../../../base/documents/formats.ts'

const formats = ['date-time', 'uuid'] as const

/** The most names of an object that are taken for fields. More are data, such as the names of a dictionary. */
const maxNames = 200

/** Returns the schema of values that were seen, without the values; empty where all are null, which tells nothing. */
export function inferSchema(values: readonly Json[]): JsonObject {
  if (values.every((value) => value === null)) return {}
  const types = [...new Set(values.map(jsonTypeOf))].sort()
  const strings = values.filter((value) => typeof value === 'string')
  const format = strings.length > 0 ? formats.find((name) => strings.every((text) => hasFormat(name, text))) : undefined
  const objects = values.filter(isObject)
  const items = values.filter(Array.isArray).flat()
  return {
    type: types.length === 1 ? (types[0] ?? '') : types,
    ...(format !== undefined && { format }),
    ...(objects.length > 0 && inferProperties(objects)),
    ...(items.length > 0 && { items: inferSchema(items) }),
  }
}

function inferProperties(objects: readonly JsonObject[]): JsonObject {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))]
  if (names.length > maxNames) return {}
  const schemas = names.map((name) => [
    name,
    inferSchema(objects.flatMap((one) => (Object.hasOwn(one, name) ? [one[name] ?? null] : []))),
  ])
  return { properties: Object.fromEntries(schemas) }
}

/** Returns the JSON Schema type of a value; every number is a `number`. */
function jsonTypeOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function hasFormat(name: (typeof formats)[number], text: string): boolean {
  const rule = OWN_FORMATS[name]
  return rule instanceof RegExp ? rule.test(text) : (rule?.(text) ?? false)
}
