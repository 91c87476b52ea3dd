import { isObject, type Json, type JsonObject } from '../core/json.ts'

const known = new WeakMap<JsonObject, ReadonlySet<string>>()
const none: ReadonlySet<string> = new Set()

/**
 * Lists the names of all properties in a schema, at whatever level. They are judged first where a body has too many
 * members.
 */
export function listNames(schema: JsonObject | undefined): ReadonlySet<string> {
  if (!schema) return none
  const names = known.get(schema) ?? collectNames(schema)
  known.set(schema, names)
  return names
}

function collectNames(schema: JsonObject): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (value: Json) => {
    if (isObject(value) && isObject(value.properties))
      for (const name of Object.keys(value.properties)) names.add(name)
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) visit(inner)
  }
  visit(schema)
  return names
}
