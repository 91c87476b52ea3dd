import { isObject, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../base/core/json-pointer.ts'
import { type DocumentFault, error } from './checks/fault.ts'
import { mapNodes, type NodeKind, walk } from './walk.ts'

/** The most objects of an expanded schema: 20 schemas that each refer twice to the next have a million. */
const MAX_EXPANDED = 20_000

/** The most references of a schema that lead from one to the next, which saves the stack of all that follows them. */
const MAX_REFERENCES = 200

/** The state of an expansion: the document, and the number of objects so far. */
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

function expandObject(
  expansion: Expansion,
  kind: NodeKind,
  value: JsonObject,
  expanding: readonly string[],
): JsonObject {
  expansion.count += 1
  if (expansion.count > MAX_EXPANDED) return value
  const { $ref, ...beside } = value
  const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
  const target = pointer === undefined ? undefined : valueAt(expansion.document, pointer)
  if (pointer !== undefined && (expanding.includes(pointer) || !isObject(target))) return value
  const inner = (partKind: NodeKind, part: JsonObject) => expandObject(expansion, partKind, part, expanding)
  const members = mapNodes(kind, isObject(target) ? beside : value, inner)
  if (pointer === undefined || !isObject(target)) return members
  if (expanding.length === MAX_REFERENCES) expansion.count = Number.POSITIVE_INFINITY
  return { ...expandObject(expansion, kind, target, [...expanding, pointer]), ...members }
}
