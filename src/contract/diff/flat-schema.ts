import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { joinPointer, parseReference, valueAt } from '../../core/json-pointer.ts'
import { isSameJson } from '../../core/same-json.ts'

/** A value with its pointer in the document. */
export interface Located {
  readonly value: Json
  readonly pointer: string
}

/** A schema with its references followed, and the parts of its `allOf` joined. */
export interface FlatSchema {
  /** The pointer of the schema itself, or of the value around one that is missing. */
  readonly pointer: string
  /** True for the schema `false`, which allows no value. */
  isForbidden: boolean
  /** The allowed types; undefined: all. */
  types: ReadonlySet<string> | undefined
  /** The listed values; undefined: any. */
  values: readonly Json[] | undefined
  /** The schemas of the fields by name. */
  readonly fields: Map<string, Located>
  /** The pointers of the required fields by name. */
  readonly required: Map<string, string>
  /** The other keywords. */
  readonly keywords: Map<string, Located>
}

const emptySchema = (pointer: string): FlatSchema => ({
  pointer,
  isForbidden: false,
  types: undefined,
  values: undefined,
  fields: new Map(),
  required: new Map(),
  keywords: new Map(),
})

/** Flattens the schema at a pointer. One that is missing allows every value. */
export function flattenSchema(document: JsonObject, pointer: string): FlatSchema {
  const flat = emptySchema(pointer)
  join(document, pointer, flat, [])
  return flat
}

/** Joins the rules of the schema at a pointer with those of `flat`. */
function join(document: JsonObject, pointer: string, flat: FlatSchema, around: readonly string[]): void {
  const schema = valueAt(document, pointer)
  if (schema === false) flat.isForbidden = true
  if (!isObject(schema) || around.includes(pointer)) return
  const inner = [...around, pointer]
  for (const [name, value] of Object.entries(schema)) {
    const located = { value, pointer: joinPointer(pointer, name) }
    if (isChoiceWithNull(name, value)) joinNullable(document, located, flat, inner)
    else (joinKeyword.get(name) ?? joinOther)(flat, located, name)
  }
  for (const part of listParts(schema, pointer)) join(document, part, flat, inner)
}

/** Returns the pointers of the schemas that `$ref` and `allOf` add. */
function listParts({ $ref, allOf }: JsonObject, pointer: string): string[] {
  const target = parseReference(String($ref ?? ''))
  const parts = Array.isArray(allOf) ? allOf.map((_, index) => joinPointer(pointer, 'allOf', index)) : []
  return target === undefined ? parts : [target, ...parts]
}

/** Returns true for the choice between a schema and null. */
function isChoiceWithNull(name: string, value: Json): boolean {
  const isChoice = name === 'anyOf' || name === 'oneOf'
  return isChoice && Array.isArray(value) && value.length === 2 && value.some(isNullSchema)
}

const isNullSchema = (schema: Json) => isObject(schema) && schema.type === 'null'

function joinNullable(
  document: JsonObject,
  { value, pointer }: Located,
  flat: FlatSchema,
  around: readonly string[],
): void {
  const other = emptySchema(pointer)
  const index = [value].flat().findIndex((schema) => !isNullSchema(schema))
  if (index >= 0) join(document, joinPointer(pointer, index), other, around)
  if (other.types) limitTypes(flat, new Set([...other.types, 'null']))
  if (other.values) limitValues(flat, [...other.values, null])
  for (const [name, field] of other.fields) flat.fields.set(name, field)
  for (const [name, at] of other.required) flat.required.set(name, at)
  for (const [name, keyword] of other.keywords) flat.keywords.set(name, keyword)
}

type JoinKeyword = (flat: FlatSchema, located: Located, name: string) => void

/** Functions that join a keyword with the rules before it, by keyword. */
const joinKeyword: ReadonlyMap<string, JoinKeyword> = new Map(
  Object.entries({
    type: (flat, { value }) => limitTypes(flat, new Set([value].flat().map(String))),
    enum: (flat, { value }) => limitValues(flat, Array.isArray(value) ? value : []),
    const: (flat, { value }) => limitValues(flat, [value]),
    properties: (flat, { value, pointer }) => {
      for (const [field, schema] of Object.entries(isObject(value) ? value : {}))
        flat.fields.set(field, { value: schema, pointer: joinPointer(pointer, field) })
    },
    required: (flat, { value, pointer }) => {
      for (const [index, field] of [value].flat().entries())
        flat.required.set(String(field), joinPointer(pointer, index))
    },
  } satisfies Record<string, JoinKeyword>),
)

const joinOther: JoinKeyword = (flat, located, name) => {
  if (name === '$ref' || name === 'allOf') return
  flat.keywords.set(name, located)
}

function limitTypes(flat: FlatSchema, types: ReadonlySet<string>): void {
  const former = flat.types
  const isIn = (set: ReadonlySet<string>, type: string) =>
    set.has(type) || (type === 'integer' && set.has('number'))
  flat.types = former
    ? new Set([
        ...[...types].filter((type) => isIn(former, type)),
        ...[...former].filter((type) => isIn(types, type)),
      ])
    : types
}

function limitValues(flat: FlatSchema, values: readonly Json[]): void {
  flat.values = flat.values?.filter((value) => values.some((other) => isSameJson(other, value))) ?? values
}
