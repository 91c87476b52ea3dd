import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { mapNodes, type NodeKind } from './walk.ts'

export interface ResolvedObject {
  /** The JSON Pointer of the object itself, not of a reference to the object. */
  readonly pointer: string
  readonly value: JsonObject
}

/** Follows a chain of references to its end, or to a pointer in the cycle if the chain is circular. */
export function followReferences(document: JsonObject, pointer: string) {
  const visited = new Set<string>()
  for (let at = pointer; ; ) {
    const value = valueAt(document, at)
    const next = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
    visited.add(at)
    if (next === undefined || visited.has(next)) return { pointer: at, value, isCircular: next !== undefined }
    at = next
  }
}

/** Returns the object at the end of a chain of references; undefined if there is none or the chain is circular. */
export function resolve(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const { isCircular, ...end } = followReferences(document, pointer)
  return isObject(end.value) && !isCircular ? { pointer: end.pointer, value: end.value } : undefined
}

/** Returns the schema at a pointer. Does not follow a `$ref` with siblings, because the siblings apply, too. */
export function resolveSchema(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const value = valueAt(document, pointer)
  if (!isObject(value)) return undefined
  return '$ref' in value && Object.keys(value).length === 1 ? resolve(document, pointer) : { pointer, value }
}

export interface Example {
  /** The name in the document; `example` for a single example without a name. */
  readonly name: string
  readonly value: Json
  readonly pointer: string
}

/** Returns the examples of a media type, a parameter or a header, except those in other files (`externalValue`). */
export function readExamples(document: JsonObject, pointer: string): Example[] {
  const owner = resolve(document, pointer)
  if (owner === undefined) return []
  const { example: single, examples } = owner.value
  if (single !== undefined) return [{ name: 'example', value: single, pointer: joinPointer(owner.pointer, 'example') }]
  return Object.keys(isObject(examples) ? examples : {}).flatMap((name) => {
    const example = resolve(document, joinPointer(owner.pointer, 'examples', name))
    const member = ['value', 'dataValue', 'serializedValue'].find((key) => example?.value[key] !== undefined)
    if (example === undefined || member === undefined) return []
    const parsed = member === 'serializedValue' ? parseJson(String(example.value[member])) : undefined
    return [{ name, value: parsed ?? example.value[member] ?? null, pointer: joinPointer(example.pointer, member) }]
  })
}

/** The maximum number of expanded objects. 20 schemas, each with two references to the next, make a million objects. */
const MAX_EXPANDED = 20_000

/**
 * Returns a schema, or another object, with its `$ref`s replaced by their targets. Members next to a `$ref` override
 * the target's members. Recursive references are kept, since their expansion would be infinite. In a very large
 * expansion, the deepest references are kept, too.
 */
export function dereference(document: JsonObject, value: JsonObject, kind: NodeKind = 'schema'): JsonObject {
  const root = { kind, value, copy: {}, path: [] as string[] } // `path`: the references followed so far
  const tasks = [root]
  // Expands level by level, so that the limit leaves only the deepest parts unexpanded.
  for (const task of tasks) {
    const { merged, path } =
      tasks.length < MAX_EXPANDED ? merge(document, task.value, task.path) : { merged: task.value, path: [] }
    const queue = (partKind: NodeKind, part: JsonObject) => {
      if (tasks.length >= MAX_EXPANDED) return part
      const copy = {}
      tasks.push({ kind: partKind, value: part, copy, path })
      return copy
    }
    Object.assign(task.copy, mapNodes(task.kind, merged, queue))
  }
  return root.copy
}

/** Merges the targets of a chain of `$ref`s into an object. */
function merge(document: JsonObject, value: JsonObject, path: string[]): { merged: JsonObject; path: string[] } {
  const { $ref, ...siblings } = value
  const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
  const target = pointer === undefined || path.includes(pointer) ? undefined : valueAt(document, pointer)
  if (pointer === undefined || !isObject(target)) return { merged: value, path }
  return merge(document, { ...target, ...siblings }, [...path, pointer])
}
