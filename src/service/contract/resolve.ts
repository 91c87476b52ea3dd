import { isObject, type JsonObject, parseJson } from '../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { type DocumentFault, error } from './checks/fault.ts'
import type { Example } from './contract.ts'
import { mapNodes, type NodeKind, walk } from './walk.ts'

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

/** The most references of a schema that lead from one to the next, which saves the stack of all that follows them. */
const MAX_REFERENCES = 200

interface Expansion {
  readonly document: JsonObject
  count: number
}

/**
 * Returns a schema, or an object of another kind, with the target of every `$ref` in its place. Members beside a `$ref`
 * win over those of the target. The `$ref` of a recursive schema to itself stays, because its expansion has no end.
 */
export function dereference(document: JsonObject, value: JsonObject, kind: NodeKind = 'schema'): JsonObject {
  return expandObject({ document, count: 0 }, kind, value, [])
}

/** Refuses each schema of a body or parameter whose expansion is too large. It runs after `checkReferences`. */
export function checkExpansion(document: JsonObject): DocumentFault[] {
  return [...walk(document)].flatMap(({ kind, pointer, value: { schema } }) => {
    if (!['mediaType', 'parameter', 'header'].includes(kind) || !isObject(schema)) return []
    const expansion = { document, count: 0 }
    expandObject(expansion, 'schema', schema, [])
    if (expansion.count <= MAX_EXPANDED) return []
    const message =
      `expands to more than ${MAX_EXPANDED} parts, or ${MAX_REFERENCES} levels of references, when each $ref ` +
      'is replaced by its schema; refer to fewer schemas from each other, or leave a part open ("type: object")'
    return [error(joinPointer(pointer, 'schema'), message)]
  })
}

function expandObject(expansion: Expansion, kind: NodeKind, value: JsonObject, around: readonly string[]): JsonObject {
  expansion.count += 1
  if (expansion.count > MAX_EXPANDED) return value
  const { $ref, ...beside } = value
  const inner = (partKind: NodeKind, part: JsonObject) => expandObject(expansion, partKind, part, around)
  const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
  if (pointer === undefined) return mapNodes(kind, value, inner)
  const target = valueAt(expansion.document, pointer)
  if (around.includes(pointer) || !isObject(target)) return value
  if (around.length === MAX_REFERENCES) expansion.count = Number.POSITIVE_INFINITY
  const members = mapNodes(kind, beside, inner)
  return { ...expandObject(expansion, kind, target, [...around, pointer]), ...members }
}
