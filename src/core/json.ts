/** What JSON can carry. Everything that enters or leaves a body, a state file or a fixture is one of these. */
export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [key: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The one spelling of a JSON value: keys sorted by code unit, no white space. Two values that mean the same have
 * the same spelling, so it can be hashed or compared.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
  return `{${members.join(',')}}`
}
