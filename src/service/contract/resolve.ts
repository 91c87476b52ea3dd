import { isObject, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../base/core/json-pointer.ts'
import type { Example } from './contract.ts'
import { mapNodes, type NodeKind } from './walk.ts'

export interface ResolvedObject {
  /** JSON pointer of the object itself, not of a reference to it. */
  readonly pointer: string
  readonly value: JsonObject
}

/** Returns the object that a pointer finally leads to; undefined if there is none, and for a circle of references. */
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

/**
 * Returns the examples of a media type, a parameter or a header in the document's order, each with the pointer of its
 * value; a single one has the name `example`. An example in another file (`externalValue`) is left out.
 */
export function readExamples(document: JsonObject, pointer: string): (Example & { readonly pointer: string })[] {
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

/** The most objects of an expanded schema: 20 schemas that each refer twice to the next have a million. */
const MAX_EXPANDED = 20_000

/** An object to be expanded into `copy`; `around` has the references that led to it. */
interface Task {
  readonly kind: NodeKind
  readonly value: JsonObject
  readonly copy: JsonObject
  readonly around: readonly string[]
}

/**
 * Returns a schema, or an object of another kind, with the target of every `$ref` in its place. Members beside a `$ref`
 * win over those of the target. The `$ref` of a recursive schema to itself stays, because its expansion has no end, and
 * so does what is deeper when the expansion is very large.
 */
export function dereference(document: JsonObject, value: JsonObject, kind: NodeKind = 'schema'): JsonObject {
  const root: Task = { kind, value, copy: {}, around: [] }
  const tasks = [root]
  // Level by level, so that a bound leaves the deepest parts as they are.
  for (const task of tasks) {
    const { merged, around } = tasks.length < MAX_EXPANDED ? follow(document, task) : { merged: task.value, around: [] }
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

/** Returns an object with the target of its `$ref`, and of the next ones, merged into it. */
function follow(document: JsonObject, task: Task): { merged: JsonObject; around: readonly string[] } {
  let { value: merged, around } = task
  for (;;) {
    const { $ref, ...beside } = merged
    const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
    const target = pointer === undefined || around.includes(pointer) ? undefined : valueAt(document, pointer)
    if (pointer === undefined || !isObject(target)) return { merged, around }
    merged = { ...target, ...beside }
    around = [...around, pointer]
  }
}
