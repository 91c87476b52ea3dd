import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { joinPointer, parseReference, valueAt } from '../core/json-pointer.ts'
import { type DocumentFault, error } from './checks/fault.ts'
import { walk } from './walk.ts'

/** The most objects and lists of an expanded schema: 20 schemas that each refer twice to the next have a million. */
const MAX_EXPANDED = 20_000

/** The state of an expansion: the document, and the number of objects and lists so far. */
interface Expansion {
  readonly document: JsonObject
  count: number
}

/**
 * Returns a schema with the target of every `$ref` in its place. Members beside a `$ref` win over those of the target.
 * The `$ref` of a recursive schema to itself stays, because its expansion has no end.
 */
export function dereference(document: JsonObject, schema: JsonObject): JsonObject {
  return expandObject({ document, count: 0 }, schema, [])
}

/** Refuses each schema of a body or parameter whose expansion is too large. It runs after `checkReferences`. */
export function checkExpansion(document: JsonObject): DocumentFault[] {
  return [...walk(document)].flatMap(({ kind, pointer, value: { schema } }) => {
    if (!['mediaType', 'parameter', 'header'].includes(kind) || !isObject(schema)) return []
    const expansion = { document, count: 0 }
    expandObject(expansion, schema, [])
    if (expansion.count <= MAX_EXPANDED) return []
    const message =
      `expands to more than ${MAX_EXPANDED} parts when each $ref is replaced by its schema; ` +
      'refer to fewer schemas from each other, or leave a part open ("type: object")'
    return [error(joinPointer(pointer, 'schema'), message)]
  })
}

function expand(expansion: Expansion, value: Json, expanding: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || expansion.count > MAX_EXPANDED) return value
  if (isObject(value)) return expandObject(expansion, value, expanding)
  expansion.count += 1
  return value.map((item) => expand(expansion, item, expanding))
}

function expandObject(expansion: Expansion, value: JsonObject, expanding: readonly string[]): JsonObject {
  expansion.count += 1
  const { $ref, ...beside } = value
  const pointer = typeof $ref === 'string' ? parseReference($ref) : undefined
  const target = pointer === undefined ? undefined : valueAt(expansion.document, pointer)
  if (pointer !== undefined && (expanding.includes(pointer) || !isObject(target))) return value
  const members = Object.entries(isObject(target) ? beside : value).map(([name, member]): [string, Json] => [
    name,
    expand(expansion, member, expanding),
  ])
  const expanded = isObject(target) && expand(expansion, target, [...expanding, pointer ?? ''])
  return { ...(isObject(expanded) && expanded), ...Object.fromEntries(members) }
}
