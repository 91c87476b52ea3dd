import { canonicalJson, isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { type FlatSchema, flatten, isLean, listOf, numberOf } from './flatten.ts'
import { makeNumber, makeText, type Tools } from './leaf.ts'

/** The context of a value: the references that led to its schema, its depth, and the first variant to try. */
interface Context {
  readonly path: readonly string[]
  readonly depth: number
  readonly variant: number
}

/** Beyond this depth, or this number of values, the optional parts of a body are omitted. */
const [maxShownDepth, maxShown] = [8, 1000]

/** The maximum depth and the maximum number of values in a body. */
const [maxDepth, maxValues] = [30, 10_000]

/** The maximum number of variants tried per value, and the maximum number of checks in total. */
const [maxVariants, maxChecks] = [16, 200]

/** Keywords that the first variant might violate. */
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
 * Returns a deterministic value for a schema, or undefined if none is found. Generated objects have no `writeOnly`
 * members. If `tools.isValid` is set, values of schemas with `UNCERTAIN` keywords are checked and may be replaced.
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

  make(schema: Json, { path: outerPath, depth, variant: first }: Context): Json | undefined {
    this.#values += 1
    if (depth > maxDepth || this.#values > maxValues) return undefined
    let fallback: Json | undefined
    for (let variant = first; variant < first + maxVariants; variant += 1) {
      const path = [...outerPath]
      const flat = flatten(this.#root, schema, variant, path)
      const value = flat && this.#makeFlat(flat, { path, depth: depth + 1, variant })
      if (flat && value !== undefined && this.#isAcceptable(schema, flat, value)) return value
      fallback ??= value
    }
    return fallback
  }

  #isAcceptable(schema: Json, flat: FlatSchema, value: Json): boolean {
    const { isValid } = this.#tools
    if (isValid === undefined || !isObject(schema) || !UNCERTAIN.some((name) => name in flat)) return true
    this.#checks += 1
    return this.#checks > maxChecks || isValid(schema, value)
  }

  #makeFlat(flat: FlatSchema, at: Context): Json | undefined {
    const { variant } = at
    if (Array.isArray(flat.enum)) return flat.enum[variant % flat.enum.length]
    const example = flat.example ?? listOf(flat.examples)[0] ?? flat.default
    if (example !== undefined && variant === 0) return structuredClone(example)
    const types = listTypes(flat)
    const type = types[variant < maxVariants / 2 ? 0 : variant % types.length]
    if (type === 'object') return this.#makeObject(flat, at)
    if (type === 'array') return this.#makeArray(flat, at)
    if (type === 'string') return makeText(flat, variant, this.#tools.matchText)
    if (type === 'boolean') return variant % 2 === 0
    return type === 'null' ? null : makeNumber(flat, variant, type === 'integer')
  }

  #isMinimal = ({ depth, variant }: Context) => isLean(variant) || depth > maxShownDepth || this.#values > maxShown

  #makeArray(flat: FlatSchema, at: Context): Json[] | undefined {
    const min = Math.max(numberOf(flat.minItems, 0), listItemSchemas(flat, 0).length)
    const minShown = flat.items === false || this.#isMinimal(at) ? 0 : 1
    const length = Math.min(Math.max(min, minShown), numberOf(flat.maxItems, maxValues), maxValues)
    const list = this.#makeItems(listItemSchemas(flat, length).slice(0, length), flat.uniqueItems === true, at)
    return list.length < Math.min(min, length) && this.#values <= maxValues ? undefined : list
  }

  #makeItems(schemas: readonly Json[], isUnique: boolean, at: Context): Json[] {
    const items = new Map<string, Json>()
    for (let attempt = 0; items.size < schemas.length && attempt < 2 * schemas.length; attempt += 1) {
      const variant = isUnique ? at.variant + attempt : at.variant
      const item = this.make(schemas[items.size] ?? {}, { ...at, variant })
      if (item === undefined) break
      const key = isUnique ? canonicalJson(item) : String(attempt)
      if (!items.has(key)) items.set(key, item)
    }
    return [...items.values()]
  }

  #makeObject(flat: FlatSchema, at: Context): JsonObject | undefined {
    const { properties, required } = flat
    const object: JsonObject = {}
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    const maxOptional = Math.max(0, numberOf(flat.maxProperties, maxValues) - required.length)
    for (const name of [...required, ...(this.#isMinimal(at) ? [] : optional.slice(0, maxOptional))]) {
      const schema = this.#memberSchema(flat, name)
      if (this.#isForRequests(schema)) continue
      const value = this.make(schema, at)
      if (value !== undefined) object[name] = value
      else if (required.includes(name)) return undefined
    }
    return this.#addMembers(flat, at, object)
  }

  /** Adds members to reach `minProperties`. A map gets at least one, unless optional parts are omitted. */
  #addMembers(flat: FlatSchema, at: Context, object: JsonObject): JsonObject {
    const [pattern] = Object.keys(toObject(flat.patternProperties))
    const names = flat.propertyNames ?? (pattern === undefined ? undefined : { pattern })
    const known = [...Object.keys(flat.properties), ...listOf(toObject(names).enum).map(String)]
    const isMap = known.length === 0 && (names !== undefined || isObject(flat.additionalProperties))
    const minShown = isMap && !this.#isMinimal(at) ? 1 : 0
    const min = Math.min(Math.max(numberOf(flat.minProperties, 0), minShown), numberOf(flat.maxProperties, maxValues))
    const deficit = min - Object.keys(object).length
    const makeName = (variant: number) =>
      names === undefined
        ? `property${variant + 1}`
        : this.make({ allOf: [{ type: 'string' }, names] }, { ...at, variant })
    const candidates =
      deficit > 0
        ? Array.from({ length: deficit + known.length + maxVariants }, (_, index) => known[index] ?? makeName(index))
        : []
    const isMissing = (name: string) =>
      !Object.hasOwn(object, name) && !this.#isForRequests(this.#memberSchema(flat, name))
    const added = [...new Set(candidates.filter((name) => typeof name === 'string'))].filter(isMissing)
    for (const name of added.slice(0, Math.max(0, deficit))) {
      const value = this.make(this.#memberSchema(flat, name), at)
      if (value !== undefined) object[name] = value
    }
    return object
  }

  #isForRequests(schema: Json): boolean {
    return flatten(this.#root, schema, 0, [])?.writeOnly === true
  }

  #memberSchema({ properties, patternProperties, additionalProperties }: FlatSchema, name: string): Json {
    if (Object.hasOwn(properties, name)) return properties[name] ?? {}
    const patterns = Object.entries(toObject(patternProperties))
    return patterns.find(([pattern]) => this.#tools.isMatch(pattern, name))?.[1] ?? additionalProperties ?? {}
  }
}

const toObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Returns the schemas of at least `length` items: those from `prefixItems`, `contains` and `items`, in that order. */
function listItemSchemas({ prefixItems, contains, minContains, ...flat }: FlatSchema, length: number): Json[] {
  const itemSchema = flat.items ?? flat.unevaluatedItems ?? {}
  const containsCount = contains === undefined ? 0 : Math.min(numberOf(minContains, 1), maxValues)
  const schemas = [...listOf(prefixItems), ...Array(containsCount).fill({ allOf: [itemSchema, contains ?? {}] })]
  return [...schemas, ...Array(Math.max(0, length - schemas.length)).fill(itemSchema)]
}

const TYPES_OF_KEYWORDS: readonly (readonly [string, RegExp])[] = [
  ['object', /[pP]ropert/],
  ['array', /[iI]tems|contains/],
  ['string', /^(pattern|format|m..Length)$/],
  ['number', /imum$|^multipleOf$/],
]

/** Returns the types in `type` (null last), or else all types, starting with the one that other keywords imply. */
function listTypes({ type, ...flat }: FlatSchema): Json[] {
  if (type !== undefined) return [type].flat().toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  const { properties, required, ...keywords } = flat
  const hasMembers = required.length > 0 || Object.keys(properties).length > 0
  const hints = TYPES_OF_KEYWORDS.filter(([, names]) => Object.keys(keywords).some((name) => names.test(name)))
  const [hint = 'null'] = hasMembers ? ['object'] : hints.map(([named]) => named)
  return [hint, 'null', 'string', 'number', 'boolean', 'array', 'object']
}
