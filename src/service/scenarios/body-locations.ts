import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer, valueAtTokens } from '../../base/core/json-pointer.ts'

/** A value of a body, with the schema that describes it. */
interface BodyLocation {
  /** JSON pointer. */
  readonly pointer: string
  readonly schema: JsonObject
  readonly value: Json
  /** True for a member that its object must have. */
  readonly required: boolean
}

/** Returns all values of a body that the schema describes by `properties` and `items`, outermost first. */
export function listBodyLocations(body: Json, schema: JsonObject): BodyLocation[] {
  const locations: BodyLocation[] = [{ pointer: '', schema, value: body, required: false }]
  // The list grows while it is walked: each location adds the locations within it.
  for (const location of locations) locations.push(...listInnerLocations(location))
  return locations
}

function listInnerLocations({ schema, value, pointer }: BodyLocation): BodyLocation[] {
  const { items, properties, required } = schema
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const described = Array.isArray(value) ? items : isObject(properties) && properties[name]
    if (!isObject(described)) return []
    const isRequired = !Array.isArray(value) && Array.isArray(required) && required.includes(name)
    return [{ pointer: joinPointer(pointer, name), schema: described, value: inner, required: isRequired }]
  })
}

/** Returns the names of the types that a schema allows; empty: any type. */
export function typesOf({ type }: JsonObject): string[] {
  return [type ?? []].flat().filter((one) => typeof one === 'string')
}

/** A change of a body at a JSON pointer; the value undefined removes a member. */
export interface BodyChange {
  readonly pointer: string
  readonly value: Json | undefined
}

/** Returns a copy of a body with the changes. */
export function changeBody(body: Json, changes: readonly BodyChange[]): Json {
  const copy: { body: Json } = { body: structuredClone(body) }
  for (const { pointer, value } of changes) {
    const tokens = ['body', ...parsePointer(pointer)]
    const name = tokens.pop() ?? ''
    const inside = valueAtTokens(copy, tokens)
    if (Array.isArray(inside)) inside[Number(name)] = value ?? null
    else if (isObject(inside) && value !== undefined) inside[name] = value
    else if (isObject(inside)) delete inside[name]
  }
  return copy.body
}
