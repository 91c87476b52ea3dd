import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { joinPointer } from '../../../base/core/json-pointer.ts'
import { listSchemaParts, mergeProperties } from '../../../service/contract/schema-parts.ts'

/** The schemas of documented properties, by name; empty for an object whose names are data. */
type Properties = ReadonlyMap<string, readonly JsonObject[]>

/** Is called with an object of a body whose members the contract lists. `pointer`: with `*` for items of an array. */
type Visit = (pointer: string, object: JsonObject, properties: Properties) => void

/** A schema with its references resolved, or several that all apply to one value. */
type Schemas = JsonObject | readonly JsonObject[]

/** Calls a function for each object of a body whose schema lists properties; one with free names is passed over. */
export function visitObjects(value: Json, schemas: Schemas, visit: Visit, pointer = ''): void {
  const { items, properties } = readSchemaRules(schemas)
  if (Array.isArray(value) && items.length > 0)
    for (const item of value) visitObjects(item, items, visit, `${pointer}/*`)
  if (!isObject(value) || properties.size === 0) return
  visit(pointer, value, properties)
  for (const name of Object.keys(value)) {
    const item = value[name]
    const inner = properties.get(name)
    if (typeof item === 'object' && inner) visitObjects(item, inner, visit, joinPointer(pointer, name))
  }
}

/** The rules of some schemas for the inside of one value. */
interface Rules {
  readonly items: readonly JsonObject[]
  readonly properties: Properties
}

/** The rules of schemas that were met: a schema has few, and a body may have very many objects. */
const known = new WeakMap<Schemas, Rules>()

function readSchemaRules(schemas: Schemas): Rules {
  const earlier = known.get(schemas)
  if (earlier) return earlier
  const parts = [schemas].flat().flatMap(listSchemaParts)
  const isFree = parts.some((part) => isObject(part.patternProperties) || hasTypedMembers(part))
  const rules = {
    items: parts.flatMap((part) => (isObject(part.items) ? [part.items] : [])),
    properties: isFree ? new Map<string, JsonObject[]>() : mergeProperties(parts),
  }
  known.set(schemas, rules)
  return rules
}

/** Returns true where the members beside the listed ones have a schema of their own: their names are data. */
function hasTypedMembers({ additionalProperties }: JsonObject): boolean {
  const typing = ['type', '$ref', 'properties', 'anyOf', 'oneOf', 'allOf']
  return isObject(additionalProperties) && typing.some((name) => name in additionalProperties)
}
