import { isObject, type Json, type JsonObject } from '../../src/base/core/json.ts'

/** The key under `components` for open copies of schemas. A part of an `allOf` must allow the other parts' members. */
const PARTS = 'x-parts'

/**
 * Returns the document with closed schemas: an object may have only the listed members, unless its schema has
 * `additionalProperties` or lists no members. An undocumented member is thus an error, although clients can ignore it.
 */
export function closeDocument(document: JsonObject): JsonObject {
  const components = objectOf(document['components'])
  const parts = mapSchemas(objectOf(components['schemas']), true)
  const closed = objectOf(closeContents({ ...document, components: { ...components, schemas: {} } }))
  const schemas = mapSchemas(objectOf(components['schemas']), false)
  return { ...closed, components: { ...objectOf(closed['components']), schemas, [PARTS]: parts } }
}

/** Closes every schema in a `schema` member, anywhere in the document. */
function closeContents(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeContents)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'schema' && isObject(member) ? close(member, false) : closeContents(member),
    ]),
  )
}

function close(schema: JsonObject, isPart: boolean): JsonObject {
  const result: Record<string, Json> = { ...schema }
  const { $ref, properties, items, allOf, additionalProperties } = schema
  if (typeof $ref === 'string' && isPart) result['$ref'] = $ref.replace('/schemas/', `/${PARTS}/`)
  if (isObject(properties)) result['properties'] = mapSchemas(properties, false)
  if (isObject(items)) result['items'] = close(items, false)
  if (isObject(additionalProperties)) result['additionalProperties'] = close(additionalProperties, false)
  if (Array.isArray(allOf)) result['allOf'] = allOf.map((part) => close(objectOf(part), true))
  const isOpen = additionalProperties !== undefined || (properties === undefined && allOf === undefined)
  return isPart || isOpen ? result : { ...result, unevaluatedProperties: false }
}

function mapSchemas(schemas: JsonObject, isPart: boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? close(schema, isPart) : schema]),
  )
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
