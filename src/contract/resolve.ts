import { isObject, type JsonObject } from '../core/json.ts'
import { parseReference, valueAt } from '../core/json-pointer.ts'

/** An object of the document, found by following references. */
export interface ResolvedObject {
  /** JSON pointer of the object itself, not of a reference to it. */
  readonly pointer: string
  readonly value: JsonObject
}

/**
 * Returns the object at a pointer, or the object that a reference there finally leads to; undefined if there is none.
 * The document must have passed `checkReferences`, because a circle of references would recurse without end.
 */
export function resolve(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const value = valueAt(document, pointer)
  if (!isObject(value)) return undefined
  if (typeof value.$ref !== 'string') return { pointer, value }
  const target = parseReference(value.$ref)
  return target === undefined ? undefined : resolve(document, target)
}
