import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../base/core/json-pointer.ts'

export interface BodyField {
  /** A JSON Pointer. In a schema, an asterisk stands for the index of an item: `/dataPoints/*`. */
  readonly pointer: string
  readonly schema: JsonObject
  /** True if the schema of the enclosing object requires the member. */
  readonly isRequired: boolean
}

export interface BodyLocation extends BodyField {
  readonly value: Json
}

/** Returns the locations of all values in a body that the schema's `properties` and `items` describe, parents first. */
export function listBodyLocations(body: Json, schema: JsonObject): BodyLocation[] {
  const locations: BodyLocation[] = [{ pointer: '', schema, value: body, isRequired: false }]
  // The list grows during the loop: each location adds its inner locations.
  for (const location of locations) locations.push(...listInnerLocations(location))
  return locations
}

function listInnerLocations({ schema, value, pointer }: BodyLocation): BodyLocation[] {
  const { items, properties, required } = schema
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const innerSchema = Array.isArray(value) ? items : isObject(properties) && properties[name]
    if (!isObject(innerSchema)) return []
    const isRequired = !Array.isArray(value) && Array.isArray(required) && required.includes(name)
    return [{ pointer: joinPointer(pointer, name), schema: innerSchema, value: inner, isRequired }]
  })
}

interface SchemaLocation extends BodyField {
  /** True if every level of the pointer is a required member, so that bodies have the value unless a parent is null. */
  readonly isCertain: boolean
}

/** Returns the locations in the `properties` and `items` of a dereferenced schema, parents first. */
export function listSchemaLocations(schema: JsonObject): SchemaLocation[] {
  return [...visit({ pointer: '', schema, isRequired: false, isCertain: true })]
}

function* visit(location: SchemaLocation): Generator<SchemaLocation> {
  yield location
  const { pointer, isCertain, schema } = location
  const { properties, items, required } = schema
  if (isObject(items)) yield* visit({ pointer: `${pointer}/*`, schema: items, isRequired: false, isCertain: false })
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(inner)) continue
    const isRequired = Array.isArray(required) && required.includes(name)
    yield* visit({ pointer: joinPointer(pointer, name), schema: inner, isRequired, isCertain: isCertain && isRequired })
  }
}

/** Returns the field name of a location: `dataPoints.date` for the `date` of an item in the list `dataPoints`. */
export function fieldOf({ pointer }: BodyField): string {
  return parsePointer(pointer)
    .filter((token) => token !== '*')
    .join('.')
}

/** Returns the names of the types that a schema allows; an empty list means any type. */
export function typesOf({ type }: JsonObject): string[] {
  return [type ?? []].flat().filter((name) => typeof name === 'string')
}
