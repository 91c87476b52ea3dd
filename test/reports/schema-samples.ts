import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'

/** Returns a value that a schema accepts; for a schema with listed values the first of them. */
function sampleOf(schema: JsonObject): Json {
  const { enum: listed, format } = schema
  if (Array.isArray(listed)) return listed[0] ?? null
  switch ([schema['type']].flat()[0]) {
    case 'object':
      return sampleObject(schema)
    case 'array':
      return [isObject(schema['items']) ? sampleOf(schema['items']) : 'item']
    case 'number':
    case 'integer':
      return Math.max(0, Number(schema['minimum'] ?? 0))
    case 'boolean':
      return true
    default:
      return format === 'uuid' ? '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75' : dateOr('text', format)
  }
}

const dateOr = (text: string, format: Json | undefined) =>
  ['date-time', 'iso-8601'].includes(String(format)) ? '2026-01-15T10:00:00Z' : text

function sampleObject({ properties, required }: JsonObject): JsonObject {
  const names = Array.isArray(required) ? required : []
  const members = Object.entries(isObject(properties) ? properties : {})
  return Object.fromEntries(
    members.flatMap(([name, inner]) => (names.includes(name) && isObject(inner) ? [[name, sampleOf(inner)]] : [])),
  )
}

/** Returns a value of the schema with `value` at the pointer, where a star stands for the first item; undefined for any valid value. */
export function sampleWith(schema: JsonObject, pointer: string, value: Json | undefined): Json {
  const [, token, ...rest] = pointer.split('/')
  if (token === undefined) return value ?? sampleOf(schema)
  const below = rest.length === 0 ? '' : `/${rest.join('/')}`
  if (token === '*') return [sampleWith(inner(schema['items']), below, value)]
  const { properties } = schema
  const sample = sampleOf(schema)
  const member = sampleWith(inner(isObject(properties) ? properties[token] : undefined), below, value)
  return { ...(isObject(sample) ? sample : {}), [token]: member }
}

function inner(schema: Json | undefined): JsonObject {
  if (!isObject(schema)) throw new Error('there is no such place in the schema')
  return schema
}
