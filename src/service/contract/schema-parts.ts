import { isObject, type JsonObject } from '../../base/core/json.ts'

/** Returns a schema and the schemas that it is composed of (`allOf`, `anyOf`, `oneOf`), at any depth. */
export function listSchemaParts(schema: JsonObject): JsonObject[] {
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listParts(schema, keyword))
  return [schema, ...parts.flatMap(listSchemaParts)]
}

export function listParts(schema: JsonObject, keyword: string): JsonObject[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Returns the property schemas in the parts of a schema, by property name. */
export function mergeProperties(parts: readonly JsonObject[]): Map<string, JsonObject[]> {
  const merged = new Map<string, JsonObject[]>()
  for (const { properties } of parts)
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {}))
      merged.set(name, [...(merged.get(name) ?? []), ...[schema].filter(isObject)])
  return merged
}
