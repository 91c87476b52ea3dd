import { isObject, type JsonObject } from '../../base/core/json.ts'
import { parseReference, valueAt } from '../../base/core/json-pointer.ts'

/** An object of the document, found by following references. */
export interface ResolvedObject {
  /** JSON pointer of the object itself, not of a reference to it. */
  readonly pointer: string
  readonly value: JsonObject
}

/**
 * Returns the object at a pointer, or the object that a reference there finally leads to; undefined if there is none,
 * and for a circle of references.
 */
export function resolve(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const passed = new Set<string>()
  for (let at: string | undefined = pointer; at !== undefined && !passed.has(at); ) {
    passed.add(at)
    const value = valueAt(document, at)
    if (!isObject(value)) return undefined
    if (typeof value.$ref !== 'string') return { pointer: at, value }
    at = parseReference(value.$ref)
  }
  return undefined
}
