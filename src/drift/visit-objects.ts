import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'

/** An object of a body whose members the contract lists. */
export interface DescribedObject {
  /** JSON pointer, with `*` for the items of an array. */
  readonly pointer: string
  readonly value: JsonObject
  /** The schemas of its documented properties, by name. */
  readonly properties: ReadonlyMap<string, readonly JsonObject[]>
}

/**
 * Calls a function for each object of a body whose schema lists properties. Objects with free names, such as dictionaries, are passed over.
 * @param schema with its references resolved
 */
export function visitObjects(body: Json, schema: JsonObject, visit: (object: DescribedObject) => void): void {
  visitValue(body, '', [schema], visit)
}

function visitValue(
  value: Json,
  pointer: string,
  schemas: readonly JsonObject[],
  visit: (object: DescribedObject) => void,
): void {
  const parts = schemas.flatMap(listParts)
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []))
    if (items.length > 0) for (const item of value) visitValue(item, `${pointer}/*`, items, visit)
    return
  }
  if (!isObject(value)) return
  const properties = collectProperties(parts)
  const isFree = parts.some((part) => isObject(part.patternProperties) || hasTypedMembers(part))
  if (properties.size === 0 || isFree) return
  visit({ pointer, value, properties })
  for (const [name, item] of Object.entries(value)) {
    const inner = properties.get(name)
    if (inner) visitValue(item, joinPointer(pointer, name), inner, visit)
  }
}

/** Returns a schema and the parts that it is composed of. */
function listParts(schema: JsonObject): JsonObject[] {
  const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => schema[name] ?? [])
  return [schema, ...inner.filter(isObject).flatMap(listParts)]
}

function collectProperties(parts: readonly JsonObject[]): Map<string, JsonObject[]> {
  const found = new Map<string, JsonObject[]>()
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const list = found.get(name) ?? []
      found.set(name, isObject(schema) ? [...list, schema] : list)
    }
  }
  return found
}

/** Returns true where the members beside the listed ones have a schema of their own: their names are data. */
function hasTypedMembers({ additionalProperties }: JsonObject): boolean {
  return (
    isObject(additionalProperties) &&
    ['type', '$ref', 'properties', 'anyOf', 'oneOf', 'allOf'].some((name) => name in additionalProperties)
  )
}
