import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../core/json-pointer.ts'
import type { Finding } from '../../documents/finding.ts'
import type { Source } from '../../documents/source.ts'
import { walk } from '../walk.ts'

/** The keywords that apply schemas to the value itself, and not to a part of it; of an object or a list, its members. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'] as const

/** The in-place keywords whose value is a schema. */
const SINGLE: readonly string[] = ['not', 'if', 'then', 'else']

/** A schema of which the schemas that it applies in place are visited. */
interface Frame {
  readonly pointer: string
  /** Pointers of the schemas that are still to be visited. */
  readonly rest: string[]
}

/**
 * Checks that no schema applies itself to the same value, such as `A: {allOf: [{$ref: A}]}`: a validator would call itself without
 * end. A schema that contains itself in a property or an item is fine, since values end. It runs after `checkReferences`.
 */
export function checkRecursion(document: JsonObject, source: Source): Finding[] {
  /** True for a schema that is visited completely, false while one of its schemas is visited. */
  const isDone = new Map<string, boolean>()
  return [...walk(document)]
    .filter(({ kind }) => kind === 'schema')
    .flatMap(({ pointer }) => [...findLoops(document, pointer, isDone)])
    .map(({ from, to }) => {
      const message = `applies itself to the same value without end, by way of ${to}`
      return { severity: 'error', place: source.place(from), message }
    })
}

/** Yields the steps that lead back to a schema on the way, from one schema on. */
function* findLoops(
  document: JsonObject,
  start: string,
  isDone: Map<string, boolean>,
): Generator<{ from: string; to: string }> {
  if (isDone.has(start)) return
  const path = [enter(document, start, isDone)]
  for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
    const next = frame.rest.pop()
    if (next === undefined) {
      isDone.set(frame.pointer, true)
      path.pop()
    } else if (isDone.get(next) === false) yield { from: frame.pointer, to: next }
    else if (!isDone.has(next)) path.push(enter(document, next, isDone))
  }
}

function enter(document: JsonObject, pointer: string, isDone: Map<string, boolean>): Frame {
  isDone.set(pointer, false)
  return { pointer, rest: listInPlace(valueAt(document, pointer), pointer) }
}

/** Returns true for a document with a schema that refers to itself, directly or by way of others, so that a check may take any time. */
export function hasRecursiveSchema(document: JsonObject): boolean {
  const isDone = new Map<string, boolean>()
  const leadsBack = (pointer: string): boolean => {
    const known = isDone.get(pointer)
    if (known !== undefined) return !known
    isDone.set(pointer, false)
    const isRecursive = listReferences(valueAt(document, pointer)).some(leadsBack)
    isDone.set(pointer, true)
    return isRecursive
  }
  return listReferences(document).some(leadsBack)
}

/** Returns the pointers that a value, at all its levels, refers to. */
function listReferences(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return []
  const target = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
  const inner = Object.values(value).flatMap(listReferences)
  return target === undefined ? inner : [target, ...inner]
}

/** Returns the pointers of the schemas that a schema applies to the value itself. */
function listInPlace(schema: unknown, pointer: string): string[] {
  if (!isObject(schema)) return []
  const target = typeof schema.$ref === 'string' ? parseReference(schema.$ref) : undefined
  const found = target === undefined ? [] : [target]
  for (const keyword of IN_PLACE) {
    const value = schema[keyword]
    if (typeof value !== 'object' || value === null) continue
    const at = joinPointer(pointer, keyword)
    if (SINGLE.includes(keyword)) found.push(at)
    else found.push(...Object.keys(value).map((name) => joinPointer(at, name)))
  }
  return found
}
