import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer, parsePointer } from '../core/json-pointer.ts'

/** A value of a body, with the schema that describes it. */
export interface BodyLocation {
  /** JSON pointer. */
  readonly pointer: string
  readonly schema: JsonObject
  readonly value: Json
  /** The object that holds the value, and the name there; undefined for the body itself and for items of arrays. */
  readonly member:
    | { readonly of: BodyLocation; readonly name: string; readonly required: boolean }
    | undefined
}

/** Returns all values of a body that the schema describes by `properties` and `items`, outermost first. */
export function listBodyLocations(body: Json, schema: JsonObject): BodyLocation[] {
  const locations: BodyLocation[] = [{ pointer: '', schema, value: body, member: undefined }]
  // The list grows while it is walked: each location adds the locations within it.
  for (const location of locations) locations.push(...listInnerLocations(location))
  return locations
}

function listInnerLocations(location: BodyLocation): BodyLocation[] {
  const { schema, value, pointer } = location
  if (Array.isArray(value)) {
    const items = schema['items']
    if (!isObject(items)) return []
    return value.map((item, index) => ({
      pointer: `${pointer}/${index}`,
      schema: items,
      value: item,
      member: undefined,
    }))
  }
  const properties = schema['properties']
  if (!isObject(value) || !isObject(properties)) return []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(value).flatMap(([name, inner]) => {
    const described = properties[name]
    if (!isObject(described)) return []
    const member = { of: location, name, required: required.includes(name) }
    return [{ pointer: joinPointer(pointer, name), schema: described, value: inner, member }]
  })
}

/** Returns the names of the types that a schema allows; empty: any type. */
export function typesOf({ type }: JsonObject): string[] {
  return [type ?? []].flat().filter((one) => typeof one === 'string')
}

/** Returns a copy of the body with the value at a pointer replaced; undefined removes the member. */
export function replaceAt(body: Json, pointer: string, value: Json | undefined): Json {
  return replaceAtPath(body, parsePointer(pointer), value) ?? null
}

function replaceAtPath(
  body: Json,
  [name, ...rest]: readonly string[],
  value: Json | undefined,
): Json | undefined {
  if (name === undefined) return value
  const inner = replaceAtPath(childOf(body, name), rest, value)
  if (Array.isArray(body)) return body.map((item, index) => (String(index) === name ? (inner ?? null) : item))
  if (!isObject(body)) throw new Error(`there is nothing at "${name}"`)
  const entries = Object.entries(body).filter(([key]) => key !== name || inner !== undefined)
  if (inner !== undefined && !Object.hasOwn(body, name)) entries.push([name, inner])
  return Object.fromEntries(
    entries.map(([key, old]) => [key, key === name && inner !== undefined ? inner : old]),
  )
}

function childOf(body: Json, name: string): Json {
  if (Array.isArray(body)) return body[Number(name)] ?? null
  return isObject(body) ? (body[name] ?? null) : null
}
