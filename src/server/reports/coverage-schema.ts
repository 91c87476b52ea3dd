import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer, parsePointer } from '../../base/core/json-pointer.ts'
import { listParts, listSchemaParts, mergeProperties } from '../../service/contract/schema-parts.ts'

export type EnumValue = string | number | boolean

/** A part of a schema that a body can show. The pointer has a star for items and for members without a name. */
interface SchemaItem {
  /** `field`: a member that the schema names; `null` and `not-null`: a place that may be null. */
  readonly kind: 'field' | 'null' | 'not-null' | 'value'
  readonly pointer: string
  /** The listed value of the kind `value`. */
  readonly value?: EnumValue
}

/** The depth of the deepest place that is listed; a recursive schema would have no end. */
const maxDepth = 12

/** Lists the parts of a schema whose references are resolved, in its order. */
function* listSchemaItems(schemas: readonly JsonObject[], pointer = '', depth = 0): Generator<SchemaItem> {
  const alternatives = schemas.flatMap(listSchemaParts)
  if (isNullable(schemas)) yield* [{ kind: 'null', pointer } as const, { kind: 'not-null', pointer } as const]
  for (const value of listEnumValues(alternatives)) yield { kind: 'value', pointer, value }
  if (depth === maxDepth) return
  for (const [name, inner] of mergeProperties(alternatives)) {
    const place = joinPointer(pointer, name)
    if (inner.length === 0) continue
    yield { kind: 'field', pointer: place }
    yield* listSchemaItems(inner, place, depth + 1)
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = alternatives.map((schema) => schema[keyword] ?? null).filter(isObject)
    if (inner.length > 0) yield* listSchemaItems(inner, `${pointer}/*`, depth + 1)
  }
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

function isNullable(schemas: readonly JsonObject[]): boolean {
  return schemas.some(mentionsNull) && schemas.every((schema) => permits(schema, true) && permits(schema, false))
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

/** Finds the parts of a schema that bodies show. */
export class BodyReader {
  /** The parts of the given kinds by their keys, in the order of the schema. */
  readonly items: ReadonlyMap<string, SchemaItem>
  readonly #prefix: string
  /** The known members by the pointer of their owner; a star stands for items and members without a name. */
  readonly #members = new Map<string, Set<string>>()

  /** `prefix`: the first word of the keys. */
  constructor(prefix: string, schema: JsonObject | undefined, kinds: readonly SchemaItem['kind'][]) {
    this.#prefix = prefix
    const all = schema ? [...listSchemaItems([schema])] : []
    this.items = new Map(all.filter(({ kind }) => kinds.includes(kind)).map((item) => [this.#keyOf(item), item]))
    for (const { pointer } of this.items.values()) {
      let owner = ''
      for (const name of parsePointer(pointer)) {
        this.#members.set(owner, (this.#members.get(owner) ?? new Set<string>()).add(name))
        owner = joinPointer(owner, name)
      }
    }
  }

  #keyOf({ kind, pointer, value }: SchemaItem): string {
    const key = `${this.#prefix} ${kind} ${pointer}`
    return value === undefined ? key : `${key} ${typeof value} ${value}`
  }

  /** Returns the keys of the parts that a body shows; a key can occur several times. */
  read(body: Json | undefined): string[] {
    const keys: string[] = []
    const show = (item: SchemaItem) => {
      const key = this.#keyOf(item)
      if (this.items.has(key)) keys.push(key)
    }
    if (body !== undefined) this.#visit(body, '', show)
    return keys
  }

  #visit(value: Json, pointer: string, show: (item: SchemaItem) => void): void {
    show({ kind: 'field', pointer })
    show({ kind: value === null ? 'null' : 'not-null', pointer })
    if (isEnumValue(value)) show({ kind: 'value', pointer, value })
    const names = this.#members.get(pointer)
    if (!names) return
    if (isObject(value)) this.#visitMembers(value, names, pointer, show)
    else if (Array.isArray(value) && names.has('*')) for (const item of value) this.#visit(item, `${pointer}/*`, show)
  }

  #visitMembers(
    value: JsonObject,
    names: ReadonlySet<string>,
    pointer: string,
    show: (item: SchemaItem) => void,
  ): void {
    for (const name of names) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      if (member !== undefined) this.#visit(member, joinPointer(pointer, name), show)
    }
    if (!names.has('*')) return
    for (const [name, member] of Object.entries(value)) if (!names.has(name)) this.#visit(member, `${pointer}/*`, show)
  }
}
