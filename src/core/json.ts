/**
 * Small tools without domain and without I/O.
 * This file has the type `Json`, which most folders use; each other file of this folder is a tool of its own.
 */

/** A value that JSON can encode: a body, a document, a fixture. */
export type Json = null | boolean | number | string | Json[] | JsonObject

/** A JSON object: not null, not an array. */
export interface JsonObject {
  [key: string]: Json
}

/** Returns true for an object that is not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a text as JSON; undefined where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the canonical text of a JSON value: keys sorted by code unit, no white space. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}
