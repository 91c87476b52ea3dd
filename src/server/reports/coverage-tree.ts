import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { listParts, listSchemaParts, mergeProperties } from '../../service/contract/schema-parts.ts'

export type EnumValue = string | number | boolean

/** A place of a body, in all parts of its schema, with the indexes of its coverage items, and the places within it. */
export interface CoverageTree {
  /** The item "the member is present"; only for members that the schema names. */
  readonly present: number | undefined
  readonly isNull: number | undefined
  readonly notNull: number | undefined
  readonly values: ReadonlyMap<EnumValue, number>
  readonly members: ReadonlyMap<string, CoverageTree>
  readonly items: CoverageTree | undefined
  /** The place of members that the schema does not name (`additionalProperties`). */
  readonly additional: CoverageTree | undefined
}

/** Adds a part of a schema as an item, and returns its index. A pointer has a star for items and unnamed members. */
export interface ItemAdder {
  /** Default: members are not counted. */
  readonly present?: (pointer: string) => number
  /** Default: nullable places are not counted. */
  readonly nullity?: (kind: 'null' | 'not-null', pointer: string) => number
  readonly value: (pointer: string, value: EnumValue) => number
}

/** The depth of the deepest place of a tree; a recursive schema would have no end. */
const maxDepth = 12

/** Builds the tree of a schema whose references are resolved; undefined where no part of it is counted. */
export function buildCoverageTree(schema: JsonObject, adder: ItemAdder): CoverageTree | undefined {
  return buildTree([schema], '', 0, adder)
}

function buildTree(
  schemas: readonly JsonObject[],
  pointer: string,
  depth: number,
  adder: ItemAdder,
  present?: number,
): CoverageTree | undefined {
  const alternatives = schemas.flatMap(listSchemaParts)
  const isNullable =
    schemas.some(mentionsNull) && schemas.every((schema) => permits(schema, true) && permits(schema, false))
  const isNull = isNullable ? adder.nullity?.('null', pointer) : undefined
  const notNull = isNullable ? adder.nullity?.('not-null', pointer) : undefined
  const values = new Map(listEnumValues(alternatives).map((value) => [value, adder.value(pointer, value)]))
  const members = new Map<string, CoverageTree>()
  for (const [name, inner] of depth < maxDepth ? mergeProperties(alternatives) : []) {
    const place = joinPointer(pointer, name)
    const member = inner.length > 0 && buildTree(inner, place, depth + 1, adder, adder.present?.(place))
    if (member) members.set(name, member)
  }
  const below = (keyword: string) => {
    const inner = alternatives.map((schema) => schema[keyword] ?? null).filter(isObject)
    return depth < maxDepth && inner.length > 0 ? buildTree(inner, `${pointer}/*`, depth + 1, adder) : undefined
  }
  const items = below('items')
  const additional = below('additionalProperties')
  const any = present ?? isNull ?? notNull ?? items ?? additional
  if (any === undefined && values.size === 0 && members.size === 0) return undefined
  return { present, isNull, notNull, values, members, items, additional }
}

/** Returns the values of `enum` and `const`; none for a single value, which every client meets. */
function listEnumValues(alternatives: readonly JsonObject[]): readonly EnumValue[] {
  const all = alternatives.flatMap(({ enum: listed, const: only }) => [
    ...(Array.isArray(listed) ? listed : []),
    ...(only === undefined ? [] : [only]),
  ])
  const values = [...new Set(all.filter(isEnumValue))]
  return values.length > 1 ? values : []
}

function isEnumValue(value: Json): value is EnumValue {
  return value !== null && typeof value !== 'object'
}

/** Returns true where a schema names null; a schema without any type does not. */
function mentionsNull(schema: JsonObject): boolean {
  const { type, enum: listed } = schema
  if ([type].flat().includes('null') || (Array.isArray(listed) && listed.includes(null))) return true
  return ['allOf', 'anyOf', 'oneOf'].some((keyword) => listParts(schema, keyword).some(mentionsNull))
}

/** Returns true where a schema permits null (`isNull`) or any other value, judged by its types and listed values. */
function permits(schema: JsonObject, isNull: boolean): boolean {
  const { type, enum: listed, const: only } = schema
  const fits = (value: Json) => (value === null) === isNull
  if (type !== undefined && ![type].flat().some((name) => (name === 'null') === isNull)) return false
  if (Array.isArray(listed) && !listed.some(fits)) return false
  if (only !== undefined && !fits(only)) return false
  if (!listParts(schema, 'allOf').every((inner) => permits(inner, isNull))) return false
  return ['anyOf', 'oneOf'].every((keyword) => {
    const list = listParts(schema, keyword)
    return list.length === 0 || list.some((inner) => permits(inner, isNull))
  })
}

/** Calls `hit` with the index of each item that a body shows; an index can occur several times. */
export function collectHits(tree: CoverageTree, value: Json, hit: (index: number) => void): void {
  if (tree.present !== undefined) hit(tree.present)
  const nullity = value === null ? tree.isNull : tree.notNull
  if (nullity !== undefined) hit(nullity)
  if (value !== null) collectWithin(tree, value, hit)
}

function collectWithin(tree: CoverageTree, value: NonNullable<Json>, hit: (index: number) => void): void {
  if (Array.isArray(value)) {
    if (tree.items) for (const item of value) collectHits(tree.items, item, hit)
  } else if (typeof value === 'object') collectMembers(tree, value, hit)
  else {
    const index = tree.values.get(value)
    if (index !== undefined) hit(index)
  }
}

function collectMembers({ members, additional }: CoverageTree, value: JsonObject, hit: (index: number) => void): void {
  for (const [name, inner] of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member !== undefined) collectHits(inner, member, hit)
  }
  if (!additional) return
  for (const [name, member] of Object.entries(value)) if (!members.has(name)) collectHits(additional, member, hit)
}
