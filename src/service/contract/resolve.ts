import { isObject, type Json, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { mapNodes, type NodeKind } from './walk.ts'

export interface ResolvedObject {
  /** JSON pointer of the object itself, not of a reference to it. */
  readonly pointer: string
  readonly value: JsonObject
}

/** Returns the pointer at the end of a chain of references; any pointer of the chain if it is circular. */
export function followReferences(document: JsonObject, pointer: string) {
  const visited = new Set<string>()
  for (let at = pointer; ; ) {
    const value = valueAt(document, at)
    const next = isObject(value) && typeof value.$ref === 'string' ? parseReference(value.$ref) : undefined
    visited.add(at)
    if (next === undefined || visited.has(next)) return { pointer: at, value, isCircle: next !== undefined }
    at = next
  }
}

/** Returns the object at the end of a chain of references; undefined if there is none, or the chain is circular. */
export function resolve(document: JsonObject, pointer: string): ResolvedObject | undefined {
  const { isCircle, ...end } = followReferences(document, pointer)
  return isObject(end.value) && !isCircle ? { pointer: end.pointer, value: end.value } : undefined
}

/** Returns the schema at a pointer. Follows a reference only if it has no sibling keywords, which also apply. */
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
    const member = ['value', 'dataValue', 'serializedValue'].find((one) => example?.value[one] !== undefined) // of 3.2
    if (example === undefined || member === undefined) return []
    const text = member === 'serializedValue' ? parseJson(String(example.value[member])) : undefined
    return [{ name, value: text ?? example.value[member] ?? null, pointer: joinPointer(example.pointer, member) }]
  })
}

/** The maximum number of objects in an expanded schema: 20 schemas that each refer to the next twice need a million. */
const MAX_EXPANDED = 20_000

/**
 * Returns a schema, or another object, with every `$ref` replaced with its target. Members beside a `$ref` win over the
 * target's. Recursive references stay, since their expansion is infinite. In a very large expansion, the deepest
 * references stay, too.
 */
export function dereference(document: JsonObject, value: JsonObject, kind: NodeKind = 'schema'): JsonObject {
  const root = { kind, value, copy: {}, around: [] as string[] } // the references that led to the value
  const tasks = [root]
  // Level by level, so that the limit leaves the deepest parts unexpanded.
  for (const task of tasks) {
    const { merged, around } =
      tasks.length < MAX_EXPANDED ? merge(document, task.value, task.around) : { merged: task.value, around: [] }
    const queue = (partKind: NodeKind, part: JsonObject) => {
      if (tasks.length >= MAX_EXPANDED) return part
      const copy = {}
      tasks.push({ kind: partKind, value: part, copy, around })
      return copy
    }
    Object.assign(task.copy, mapNodes(task.kind, merged, queue))
  }
  return root.copy
}

/** Returns an object with the targets of its chain of `$ref`s merged into it. */
function merge(document: JsonObject, value: JsonObject, around: string[]): { merged: JsonObject; around: string[] } {
  const { $ref, ...beside } = value
  const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
  const target = pointer === undefined || around.includes(pointer) ? undefined : valueAt(document, pointer)
  if (pointer === undefined || !isObject(target)) return { merged: value, around }
  return merge(document, { ...target, ...beside }, [...around, pointer])
}
