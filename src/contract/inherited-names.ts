import type { JsonObject } from '../core/json.ts'

/** The names that every object of JavaScript inherits, such as `constructor`, in quotes. */
const inherited = Object.getOwnPropertyNames(Object.prototype).map((name) => `"${name}"`)

/**
 * Returns true for a document with such a name. A validator then has to look at the own properties of an object only, or `constructor` would be in
 * each; for all other documents that would only cost time.
 */
export function namesInherited(document: JsonObject): boolean {
  const text = JSON.stringify(document)
  return inherited.some((name) => text.includes(name))
}
