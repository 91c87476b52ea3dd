import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { once } from '../core/once.ts'

/** An object of a body whose members the contract lists. */
export interface DescribedObject {
  /** JSON pointer, with `*` for the items of an array. */
  readonly pointer: string
  readonly value: JsonObject
  /** The schemas of its documented properties, by name. */
  readonly properties: ReadonlyMap<string, readonly JsonObject[]>
}

/** The rules of some schemas for one value. */
interface DescribedValue {
  /** The rules of the items of an array; undefined: there are none. */
  readonly items: (() => DescribedValue) | undefined
  /** The schemas of the documented properties; empty for a value whose names are data. */
  readonly properties: ReadonlyMap<string, readonly JsonObject[]>
  readonly member: (name: string) => DescribedValue | undefined
}

/** The rules of schemas that were met: a schema has few, and a body may have very many objects. */
const described = new WeakMap<JsonObject, DescribedValue>()

/**
 * Calls a function for each object of a body whose schema lists properties. Objects with free names, such as dictionaries, are passed over.
 * @param schema with its references resolved
 */
export function visitObjects(body: Json, schema: JsonObject, visit: (object: DescribedObject) => void): void {
  const rules = described.get(schema) ?? describeValue([schema])
  described.set(schema, rules)
  visitValue(body, '', rules, visit)
}

function visitValue(
  value: Json,
  pointer: string,
  rules: DescribedValue | undefined,
  visit: (object: DescribedObject) => void,
): void {
  if (Array.isArray(value)) visitItems(value, pointer, rules?.items?.(), visit)
  if (!isObject(value) || !rules || rules.properties.size === 0) return
  visit({ pointer, value, properties: rules.properties })
  for (const name of Object.keys(value)) {
    const item = value[name]
    if (typeof item === 'object') visitValue(item, joinPointer(pointer, name), rules.member(name), visit)
  }
}

function visitItems(
  items: readonly Json[],
  pointer: string,
  rules: DescribedValue | undefined,
  visit: (object: DescribedObject) => void,
): void {
  if (rules) for (const item of items) visitValue(item, `${pointer}/*`, rules, visit)
}

/**
 * Describes a value by schemas that all apply to it. What is inside it is described when it is met, since schemas may
 * be recursive.
 */
function describeValue(schemas: readonly JsonObject[]): DescribedValue {
  const parts = schemas.flatMap(listParts)
  const items = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []))
  const isFree = parts.some((part) => isObject(part.patternProperties) || hasTypedMembers(part))
  const properties = isFree ? new Map<string, JsonObject[]>() : collectProperties(parts)
  const members = new Map<string, DescribedValue>()
  return {
    items: items.length > 0 ? once(() => describeValue(items)) : undefined,
    properties,
    member(name) {
      const own = properties.get(name)
      if (!own) return undefined
      const known = members.get(name) ?? describeValue(own)
      members.set(name, known)
      return known
    },
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
