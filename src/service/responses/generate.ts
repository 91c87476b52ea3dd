import { canonicalJson, isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { type FlatSchema, flatten, isLean, listOf, numberOf } from './flatten.ts'
import { makeNumber, makeText, type Tools } from './leaf.ts'

/** The context of a value: the references followed to its schema, its depth, and the first variant to try. */
interface At {
  readonly path: readonly string[]
  readonly depth: number
  readonly variant: number
}

/** The depth of a body, and the number of its values, beyond which optional parts are omitted. */
const [maxShownDepth, maxShown] = [8, 1000]

/** The maximum depth of a body, and the maximum number of its values. */
const [maxDepth, maxValues] = [30, 10_000]

/** The maximum number of variants tried per value, and of checks in total. */
const [maxVariants, maxChecks] = [16, 200]

/** Keywords that the first variant may violate. */
const UNCERTAIN = [
  ...[
    'oneOf',
    'not',
    'if',
    'enum',
    'default',
    'example',
    'examples',
    'pattern',
    'format',
    'uniqueItems',
    'contains',
    'allOf',
  ],
  ...['unevaluatedItems', 'unevaluatedProperties', 'dependentSchemas', 'dependentRequired', 'propertyNames'],
]

/**
 * Returns a deterministic value for a schema, or undefined if none is found. It has the optional members, except those
 * for requests only. With `isValid`, each part that may violate its schema is checked, and varied until it is valid.
 */
export const generate = (root: JsonObject, schema: Json, tools: Tools): Json | undefined =>
  new Generator(root, tools).make(schema, { path: [], depth: 0, variant: 0 })

class Generator {
  readonly #root: JsonObject
  readonly #tools: Tools
  #values = 0
  #checks = 0

  constructor(root: JsonObject, tools: Tools) {
    this.#root = root
    this.#tools = tools
  }

  make(schema: Json, { path: around, depth, variant: first }: At): Json | undefined {
    this.#values += 1
    if (depth > maxDepth || this.#values > maxValues) return undefined
    let any: Json | undefined
    for (let variant = first; variant < first + maxVariants; variant += 1) {
      const path = [...around]
      const flat = flatten(this.#root, schema, variant, path)
      const value = flat && this.#makeFlat(flat, { path, depth: depth + 1, variant })
      if (flat && value !== undefined && this.#isFine(schema, flat, value)) return value
      any ??= value
    }
    return any
  }

  #isFine(schema: Json, flat: FlatSchema, value: Json): boolean {
    const { isValid } = this.#tools
    if (isValid === undefined || !isObject(schema) || !UNCERTAIN.some((name) => name in flat)) return true
    this.#checks += 1
    return this.#checks > maxChecks || isValid(schema, value)
  }

  #makeFlat(flat: FlatSchema, at: At): Json | undefined {
    const { variant } = at
    if (Array.isArray(flat.enum)) return flat.enum[variant % flat.enum.length]
    const known = flat.example ?? listOf(flat.examples)[0] ?? flat.default
    if (known !== undefined && variant === 0) return structuredClone(known)
    const types = listTypes(flat)
    const type = types[variant < maxVariants / 2 ? 0 : variant % types.length]
    if (type === 'object') return this.#makeObject(flat, at)
    if (type === 'array') return this.#makeArray(flat, at)
    if (type === 'string') return makeText(flat, variant, this.#tools.matchText)
    if (type === 'boolean') return variant % 2 === 0
    return type === 'null' ? null : makeNumber(flat, variant, type === 'integer')
  }

  #isShort = ({ depth, variant }: At) => isLean(variant) || depth > maxShownDepth || this.#values > maxShown

  #makeArray(flat: FlatSchema, at: At): Json[] | undefined {
    const least = Math.max(numberOf(flat.minItems, 0), listSchemas(flat, 0).length)
    const shown = flat.items === false || this.#isShort(at) ? 0 : 1
    const length = Math.min(Math.max(least, shown), numberOf(flat.maxItems, maxValues), maxValues)
    const list = this.#makeItems(listSchemas(flat, length).slice(0, length), flat.uniqueItems === true, at)
    return list.length < Math.min(least, length) && this.#values <= maxValues ? undefined : list
  }

  #makeItems(schemas: readonly Json[], isUnique: boolean, at: At): Json[] {
    const items = new Map<string, Json>()
    for (let tried = 0; items.size < schemas.length && tried < 2 * schemas.length; tried += 1) {
      const variant = isUnique ? at.variant + tried : at.variant
      const item = this.make(schemas[items.size] ?? {}, { ...at, variant })
      if (item === undefined) break
      const key = isUnique ? canonicalJson(item) : String(tried)
      if (!items.has(key)) items.set(key, item)
    }
    return [...items.values()]
  }

  #makeObject(flat: FlatSchema, at: At): JsonObject | undefined {
    const { properties, required } = flat
    const object: JsonObject = {}
    const others = Object.keys(properties).filter((name) => !required.includes(name))
    const room = Math.max(0, numberOf(flat.maxProperties, maxValues) - required.length)
    for (const name of [...required, ...(this.#isShort(at) ? [] : others.slice(0, room))]) {
      const schema = this.#memberSchema(flat, name)
      if (flatten(this.#root, schema, 0, [])?.writeOnly === true) continue // only for requests
      const value = this.make(schema, at)
      if (value !== undefined) object[name] = value
      else if (required.includes(name)) return undefined
    }
    return this.#addMembers(flat, at, object)
  }

  /** Adds members up to the documented minimum; a map gets at least one. */
  #addMembers(flat: FlatSchema, at: At, object: JsonObject): JsonObject {
    const [pattern] = Object.keys(toObject(flat.patternProperties))
    const names = flat.propertyNames ?? (pattern === undefined ? undefined : { pattern })
    const known = [...Object.keys(flat.properties), ...listOf(toObject(names).enum).map(String)]
    const isMap = known.length === 0 && (names !== undefined || isObject(flat.additionalProperties))
    const shown = isMap && !this.#isShort(at) ? 1 : 0
    const least = Math.min(Math.max(numberOf(flat.minProperties, 0), shown), numberOf(flat.maxProperties, maxValues))
    const missing = least - Object.keys(object).length
    const own = (variant: number) =>
      names === undefined
        ? `property${variant + 1}`
        : this.make({ allOf: [{ type: 'string' }, names] }, { ...at, variant })
    const others =
      missing > 0
        ? Array.from({ length: missing + known.length + maxVariants }, (_, index) => known[index] ?? own(index))
        : []
    const added = [...new Set(others)].filter((name) => typeof name === 'string' && !Object.hasOwn(object, name))
    for (const name of added.slice(0, Math.max(0, missing)).map(String)) {
      const value = this.make(this.#memberSchema(flat, name), at)
      if (value !== undefined) object[name] = value
    }
    return object
  }

  #memberSchema({ properties, patternProperties, additionalProperties }: FlatSchema, name: string): Json {
    if (Object.hasOwn(properties, name)) return properties[name] ?? {}
    const patterns = Object.entries(toObject(patternProperties))
    return patterns.find(([pattern]) => this.#tools.isMatch(pattern, name))?.[1] ?? additionalProperties ?? {}
  }
}

const toObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Returns the schemas of at least `length` items: those of `prefixItems`, those of `contains`, then the others. */
function listSchemas({ prefixItems, contains, minContains, ...flat }: FlatSchema, length: number): Json[] {
  const others = flat.items ?? flat.unevaluatedItems ?? {}
  const contained = contains === undefined ? 0 : Math.min(numberOf(minContains, 1), maxValues)
  const schemas = [...listOf(prefixItems), ...Array(contained).fill({ allOf: [others, contains ?? {}] })]
  return [...schemas, ...Array(Math.max(0, length - schemas.length)).fill(others)]
}

const TYPES_OF_KEYWORDS: readonly (readonly [string, RegExp])[] = [
  ['object', /[pP]ropert/],
  ['array', /[iI]tems|contains/],
  ['string', /^(pattern|format|m..Length)$/],
  ['number', /imum$|^multipleOf$/],
]

/** Returns the types that a value can have, null last; if all are allowed, those that keywords suggest come first. */
function listTypes({ type, ...flat }: FlatSchema): Json[] {
  if (type !== undefined) return [type].flat().toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  const { properties, required, ...keywords } = flat
  const hasMembers = required.length > 0 || Object.keys(properties).length > 0
  const hints = TYPES_OF_KEYWORDS.filter(([, names]) => Object.keys(keywords).some((name) => names.test(name)))
  const [hint = 'null'] = hasMembers ? ['object'] : hints.map(([named]) => named)
  return [hint, 'null', 'string', 'number', 'boolean', 'array', 'object']
}
