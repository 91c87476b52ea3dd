/** Reads the fields of an object that is sent as texts: a form, or a parameter of the style `deepObject`. */
import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** A field: its name, and its text or its texts if it is repeated. */
type Field = readonly [name: string, text: string | readonly string[]]

/** Returns the object of fields. A field that the schema describes as a list is a list also if it is sent once. */
export function readFields({ properties }: JsonObject, fields: readonly Field[]): JsonObject {
  const schemas = isObject(properties) ? properties : {}
  return Object.fromEntries(fields.map(([name, text]) => [name, readField(schemas[name], text)]))
}

function readField(schema: Json | undefined, text: string | readonly string[]): Json {
  if (typeof text !== 'string') return [...text]
  return isObject(schema) && [schema.type].flat().includes('array') ? [text] : text
}
