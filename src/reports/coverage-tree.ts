import { isObject, type Json, type JsonObject } from '../core/json.ts'

/** A value of which a schema lists a few. */
export type Listed = string | number | boolean

/**
 * The places of a body that there is something to count at, as a tree: what stands at one place under `allOf`, `anyOf` and
 * `oneOf` is one place. The numbers are those of points; undefined where nothing is counted.
 */
export interface CoverageTree {
  /** The member is there at all; undefined for what is no member that the schema names. */
  present: number | undefined
  isNull: number | undefined
  notNull: number | undefined
  readonly values: ReadonlyMap<Listed, number>
  readonly members: ReadonlyMap<string, CoverageTree>
  /** Of an array. */
  readonly items: CoverageTree | undefined
  /** Of members that are not listed. */
  readonly others: CoverageTree | undefined
}

/** What there is to count at a place; `present` only of members that the schema names. `pointer`: a JSON pointer with a star for the items of an array and for members that are not listed. */
export type Countable =
  | { readonly kind: 'present'; readonly pointer: string }
  | { readonly kind: 'null' | 'not-null'; readonly pointer: string }
  | { readonly kind: 'value'; readonly pointer: string; readonly value: Listed }

/** Gives a countable thing its number; undefined: it is not counted. */
export type Numbering = (countable: Countable) => number | undefined

/** Deeper schemas than this are recursive ones. */
const deepest = 12

/** Reads a schema, references resolved, once; undefined where nothing of it is counted. */
export function coverageTree(schema: JsonObject, number: Numbering): CoverageTree | undefined {
  return shapeAt([schema], '', 0, number, false)
}

function shapeAt(
  schemas: readonly JsonObject[],
  pointer: string,
  depth: number,
  number: Numbering,
  isMember: boolean,
): CoverageTree | undefined {
  if (depth > deepest || schemas.length === 0) return undefined
  const alternatives = schemas.flatMap(alternativesOf)
  const present = isMember ? number({ kind: 'present', pointer }) : undefined
  const nullable = schemas.some(saysNull) && schemas.every((one) => permits(one, true) && permits(one, false))
  const isNull = nullable ? number({ kind: 'null', pointer }) : undefined
  const notNull = nullable ? number({ kind: 'not-null', pointer }) : undefined
  const values = numbered(listedIn(alternatives), (value) => number({ kind: 'value', pointer, value }))
  const members = numbered(propertiesOf(alternatives), (name, inner) =>
    shapeAt(inner, `${pointer}/${escaped(name)}`, depth + 1, number, true),
  )
  const within = (keyword: string) =>
    shapeAt(
      alternatives.map((one) => one[keyword] ?? null).filter(isObject),
      `${pointer}/*`,
      depth + 1,
      number,
      false,
    )
  const shape = { present, isNull, notNull, values, members }
  return emptyAsNothing({ ...shape, items: within('items'), others: within('additionalProperties') })
}

function emptyAsNothing(shape: CoverageTree): CoverageTree | undefined {
  const { present, isNull, notNull, values, members, items, others } = shape
  const some = present ?? isNull ?? notNull ?? items ?? others
  return some === undefined && values.size === 0 && members.size === 0 ? undefined : shape
}

/** Those that are given something; what is given nothing is left out. */
function numbered<K, V, T>(
  things: ReadonlyMap<K, V>,
  give: (key: K, value: V) => T | undefined,
): ReadonlyMap<K, T> {
  const given = new Map<K, T>()
  for (const [key, value] of things) {
    const one = give(key, value)
    if (one !== undefined) given.set(key, one)
  }
  return given
}

/** The schema itself, and all that are combined in it. */
function alternativesOf(schema: JsonObject): JsonObject[] {
  return [
    schema,
    ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => combined(schema, name).flatMap(alternativesOf)),
  ]
}

function combined(schema: JsonObject, keyword: string): JsonObject[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function propertiesOf(alternatives: readonly JsonObject[]): ReadonlyMap<string, JsonObject[]> {
  const all = new Map<string, JsonObject[]>()
  for (const { properties } of alternatives) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      if (isObject(schema)) all.set(name, [...(all.get(name) ?? []), schema])
    }
  }
  return all
}

/** The values of `enum`, and of each `const` where there are several; a value without an alternative is no news. */
function listedIn(alternatives: readonly JsonObject[]): ReadonlyMap<Listed, boolean> {
  const all = alternatives.flatMap(({ enum: listed, const: only }) => [
    ...(Array.isArray(listed) ? listed : []),
    ...(only === undefined ? [] : [only]),
  ])
  const values = new Map(all.filter(isListed).map((value) => [value, true]))
  return values.size > 1 ? values : new Map()
}

function isListed(value: Json): value is Listed {
  return value !== null && typeof value !== 'object'
}

/** Whether the schema speaks of null; one that leaves everything open does not. */
function saysNull(schema: JsonObject): boolean {
  const { type, enum: listed } = schema
  if ([type].flat().includes('null') || (Array.isArray(listed) && listed.includes(null))) return true
  return ['allOf', 'anyOf', 'oneOf'].some((name) => combined(schema, name).some(saysNull))
}

/** Whether the schema lets null be, or anything else but null, as far as its types and lists tell. */
function permits(schema: JsonObject, isNull: boolean): boolean {
  const { type, enum: listed, const: only } = schema
  const fits = (value: Json) => (value === null) === isNull
  if (type !== undefined && ![type].flat().some((one) => (one === 'null') === isNull)) return false
  if (Array.isArray(listed) && !listed.some(fits)) return false
  if (only !== undefined && !fits(only)) return false
  if (!combined(schema, 'allOf').every((one) => permits(one, isNull))) return false
  return ['anyOf', 'oneOf'].every((name) => {
    const list = combined(schema, name)
    return list.length === 0 || list.some((one) => permits(one, isNull))
  })
}

/** Tells the number of everything countable that a body shows; a number may come more than once. */
export function collectHits(shape: CoverageTree, value: Json, tell: (number: number) => void): void {
  if (shape.present !== undefined) tell(shape.present)
  const branch = value === null ? shape.isNull : shape.notNull
  if (branch !== undefined) tell(branch)
  if (value !== null) visitWithin(shape, value, tell)
}

function visitWithin(shape: CoverageTree, value: NonNullable<Json>, tell: (number: number) => void): void {
  if (Array.isArray(value)) {
    if (shape.items) for (const item of value) collectHits(shape.items, item, tell)
  } else if (typeof value === 'object') visitMembers(shape, value, tell)
  else {
    const listed = shape.values.get(value)
    if (listed !== undefined) tell(listed)
  }
}

function visitMembers(
  { members, others }: CoverageTree,
  value: JsonObject,
  tell: (number: number) => void,
): void {
  for (const [name, inner] of members) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member !== undefined) collectHits(inner, member, tell)
  }
  if (!others) return
  for (const [name, member] of Object.entries(value))
    if (!members.has(name)) collectHits(others, member, tell)
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
