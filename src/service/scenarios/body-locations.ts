import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../base/core/json-pointer.ts'

export interface BodyPlace {
  /** JSON pointer. In a schema, an asterisk represents the index of an item: `/dataPoints/*`. */
  readonly pointer: string
  readonly schema: JsonObject
  /** True for a required member. */
  readonly required: boolean
}

export interface BodyLocation extends BodyPlace {
  readonly value: Json
}

/** Returns all values of a body that the schema describes by `properties` and `items`, outermost first. */
export function listBodyLocations(body: Json, schema: JsonObject): BodyLocation[] {
  const locations: BodyLocation[] = [{ pointer: '', schema, value: body, required: false }]
  // The list grows during the loop: each location adds its inner locations.
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

interface SchemaLocation extends BodyPlace {
  /** True if every body has the value: it is required at each level, and not in an array. */
  readonly isCertain: boolean
}

/** Returns all locations in a resolved schema, outermost first; a recursive `$ref` is not followed. */
export function listSchemaLocations(schema: JsonObject): SchemaLocation[] {
  return [...visit({ pointer: '', schema, required: false, isCertain: true })]
}

function* visit(location: SchemaLocation): Generator<SchemaLocation> {
  yield location
  const { pointer, isCertain, schema } = location
  const { properties, items, required: names } = schema
  if (isObject(items)) yield* visit({ pointer: `${pointer}/*`, schema: items, required: false, isCertain: false })
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(inner)) continue
    const required = Array.isArray(names) && names.includes(name)
    yield* visit({ pointer: joinPointer(pointer, name), schema: inner, required, isCertain: isCertain && required })
  }
}

/** Returns the field name of a location, without the items of lists: `dataPoints.date` for the `date` of each item. */
export function fieldOf({ pointer }: BodyPlace): string {
  return parsePointer(pointer)
    .filter((token) => token !== '*')
    .join('.')
}

/** Returns the names of the types that a schema allows; empty: any type. */
export function typesOf({ type }: JsonObject): string[] {
  return [type ?? []].flat().filter((one) => typeof one === 'string')
}
