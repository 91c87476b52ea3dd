/** Reads the fields of an object that is sent as texts: a form, or a parameter of the style `deepObject`. */
import { parse } from 'node:querystring'
import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'

/** A field: its name, and its text or its texts if it is repeated. */
type Field = readonly [name: string, text: string | readonly string[]]

/** Returns the object of a form, whose texts its validator coerces. */
export function readForm(schema: JsonObject, text: string): JsonObject {
  // `parse` sets no member to undefined.
  const fields = Object.entries(parse(text, '&', '=', { maxKeys: 0 })) as unknown as readonly Field[]
  return readFields(schema, fields)
}

/**
 * Returns the object of fields. A field that the schema describes as a list is a list also if it is sent once, and the
 * text of an object is JSON.
 */
export function readFields({ properties }: JsonObject, fields: readonly Field[]): JsonObject {
  const schemas = isObject(properties) ? properties : {}
  return Object.fromEntries(fields.map(([name, text]) => [name, readField(schemas[name], text)]))
}

function readField(schema: Json | undefined, text: string | readonly string[]): Json {
  if (typeof text !== 'string') return [...text]
  const types = isObject(schema) ? [schema.type].flat() : []
  if (types.includes('object')) return parseJson(text) ?? text
  return types.includes('array') ? [text] : text
}
