import { isObject, type JsonObject } from '../core/json.ts'
import { parseReference, valueAt } from '../core/json-pointer.ts'

/** An object of the document together with its own place, after all references to it are followed. */
export interface ResolvedObject {
  /** JSON pointer of the object itself, not of a reference to it. */
  readonly pointer: string
  readonly value: JsonObject
}

/**
 * Follows the references that start at a pointer to the object at their end. The references of the document must have passed
 * `checkReferences`; a circle would recurse without end.
 * @returns undefined if the pointer or a reference leads to no object
 */
export function resolve(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const value = valueAt(document, pointer)
  if (!isObject(value)) return undefined
  if (typeof value.$ref !== 'string') return { pointer, value }
  const target = parseReference(value.$ref)
  return target === undefined ? undefined : resolve(document, target)
}
