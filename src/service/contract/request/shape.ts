/** Converts strings in a request to typed values. `styles.ts` splits the strings; `unknown-names.ts` finds typos. */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts'
import { parseReference } from '../../../base/core/json-pointer.ts'
import { resolve } from '../resolve.ts'
import { listParts } from '../schema-parts.ts'

/** The raw value of a parameter, before coercion to the types of its schema: a string, a list, or members by name. */
export type Sent = string | readonly Sent[] | Map<string, Sent>

/** Matches a JSON number. `0x10`, `+1`, `.5` and `Infinity` are not JSON numbers. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** The types and property names in all parts of a schema, with references resolved, and the shapes of its members. */
export class Shape {
  /** Empty if the schema neither names nor implies types. */
  readonly types: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly #document: JsonObject
  readonly #parts: ReadonlySet<JsonObject>
  readonly #inner = new Map<string, Shape>()

  constructor(document: JsonObject, schemas: readonly JsonObject[]) {
    const parts = new Set(schemas)
    // The loop also visits the parts that it adds.
    for (const part of parts) {
      const pointer = typeof part.$ref === 'string' ? parseReference(part.$ref) : undefined
      const target = pointer === undefined ? undefined : resolve(document, pointer)
      if (target) parts.add(target.value)
      for (const keyword of ['allOf', 'anyOf', 'oneOf']) for (const inner of listParts(part, keyword)) parts.add(inner)
    }
    this.#document = document
    this.#parts = parts
    this.types = new Set([...parts].flatMap(listTypes))
    this.names = new Set([...parts].flatMap(({ properties }) => Object.keys(isObject(properties) ? properties : {})))
  }

  /** True if a string can be valid. */
  get takesText(): boolean {
    return this.types.size === 0 || this.types.has('string')
  }

  /** True if the schema allows `additionalProperties` explicitly, or names no properties. */
  get isOpen(): boolean {
    return this.names.size === 0 || this.has('additionalProperties')
  }

  has(keyword: string): boolean {
    return [...this.#parts].some(({ [keyword]: value = false }) => value !== false)
  }

  get items(): Shape {
    return this.#find('items', (part) => [part.items, ...listParts(part, 'prefixItems')])
  }

  member(name: string): Shape {
    return this.names.has(name)
      ? this.#find(`/${name}`, ({ properties }) => [isObject(properties) ? properties[name] : undefined])
      : this.#find('others', ({ additionalProperties }) => [additionalProperties])
  }

  #find(key: string, find: (part: JsonObject) => readonly (Json | undefined)[]): Shape {
    const cached = this.#inner.get(key)
    const shape = cached ?? new Shape(this.#document, [...this.#parts].flatMap(find).filter(isObject))
    if (!cached) this.#inner.set(key, shape)
    return shape
  }

  /** Coerces a raw value to the schema's types. Text that does not fit them is kept, so that validators report it. */
  read(sent: Sent): Json {
    const isList = this.types.has('array')
    if (typeof sent === 'string') {
      const isText = !isList || (sent === '' && this.takesText)
      return isText ? this.readText(sent) : [this.items.read(sent)]
    }
    if (!(sent instanceof Map)) return sent.map((item) => this.items.read(item))
    // The name of an item is either empty (`ids[]=1`) or its index (`ids[0]=1`).
    if (isList)
      return [...sent.values()].flatMap((item) => (Array.isArray(item) ? this.read(item) : [this.items.read(item)]))
    return Object.fromEntries([...sent].map(([name, inner]) => [name, this.member(name).read(inner)]))
  }

  readText(text: string): Json {
    const { types } = this
    if ((types.has('integer') || types.has('number')) && NUMBER.test(text) && Number.isFinite(Number(text)))
      return Number(text)
    if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
    return text === '' && types.has('null') && !types.has('string') ? null : text
  }
}

/** Returns a part's `type`, or else the types that its `const`, `enum`, `properties` and `items` imply. */
function listTypes({ type, const: value, enum: values = value === undefined ? null : [value], ...part }: JsonObject) {
  if (type !== undefined) return [type].flat().map(String)
  if (Array.isArray(values)) return values.map((each) => (each === null ? 'null' : typeof each))
  return [...(part.properties ? ['object'] : []), ...(part.items ? ['array'] : [])]
}
