import { isObject, isSameJson, type Json, type JsonObject } from '../../base/core/json.ts'
import { parseReference, valueAt } from '../../base/core/json-pointer.ts'

/** A schema whose references and chosen alternatives are merged into one object of keywords. */
export interface FlatSchema extends JsonObject {
  readonly properties: JsonObject
  readonly required: string[]
}

/** Returns true for variants without optional members (the last 4 of every 8). A variant also selects alternatives. */
export const isLean = (variant: number): boolean => variant % 8 >= 4

/**
 * Merges a schema with its references, `allOf`, and the alternatives that a variant selects. Adds the followed
 * references to `path`. Returns undefined if a part is `false` or unresolvable, or at the third level of recursion.
 */
export function flatten(root: JsonObject, schema: Json, variant: number, path: string[]): FlatSchema | undefined {
  const flat: FlatSchema = { properties: {}, required: [] }
  const outerLength = path.length
  const follow = ($ref: string): boolean => {
    const pointer = parseReference($ref)
    if (pointer !== undefined && path.includes(pointer, outerLength)) return true // already merged
    if (pointer === undefined || path.filter((each) => each === pointer).length > 1) return false
    path.push(pointer)
    return add(valueAt(root, pointer) ?? false)
  }
  const add = (part: Json): boolean => {
    if (!isObject(part)) return part !== false
    if (typeof part.$ref === 'string' && !follow(part.$ref)) return false
    for (const [name, value] of Object.entries(part)) merge(flat, name, value)
    return [...listOf(part.allOf), ...listChosen(part, variant)].every(add)
  }
  if (!add(schema)) return undefined
  const isShown = (name: string) =>
    flat.required.includes(name) || (Object.hasOwn(flat.properties, name) && !isLean(variant))
  for (const [name, others] of Object.entries(isObject(flat.dependentRequired) ? flat.dependentRequired : {}))
    if (isShown(name)) merge(flat, 'required', others)
  const dependents = Object.entries(isObject(flat.dependentSchemas) ? flat.dependentSchemas : {})
  return dependents.every(([name, dependent]) => !isShown(name) || add(dependent)) ? flat : undefined
}

function listChosen(schema: JsonObject, variant: number): Json[] {
  const { if: condition, then = true, else: otherwise = true, not } = schema
  const choices = [schema.anyOf, schema.oneOf].filter(Array.isArray).map((list) => choose(list, schema, variant))
  if (isObject(not) && not.not !== undefined) choices.push(not.not)
  return condition === undefined ? choices : [...choices, ...(variant % 2 === 0 ? [condition, then] : [otherwise])]
}

export const numberOf = (value: Json | undefined, fallback: number) => (typeof value === 'number' ? value : fallback)

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** Selects an alternative (null comes last) and adds its discriminator value. */
function choose(alternatives: readonly Json[], { discriminator }: JsonObject, variant: number): Json {
  const rank = (schema: Json) => Number(isObject(schema) && schema['type'] === 'null')
  const sorted = alternatives.toSorted((a, b) => rank(a) - rank(b))
  const chosen = sorted[variant % sorted.length] ?? false
  const { propertyName, mapping } = isObject(discriminator) ? discriminator : {}
  if (typeof propertyName !== 'string' || !isObject(chosen) || typeof chosen['$ref'] !== 'string') return chosen
  const { $ref } = chosen
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  const mapped = Object.entries(isObject(mapping) ? mapping : {}).find(([, to]) => to === $ref || to === name)?.[0]
  return { allOf: [chosen], properties: { [propertyName]: { const: mapped ?? name } }, required: [propertyName] }
}

const combine = (one: Json, other: Json): Json => (one === false || other === false ? false : { allOf: [one, other] })

/** Defines how a keyword's values from several schemas are merged. For keywords not listed, the last value wins. */
const JOINS: readonly (readonly [RegExp, (old: Json, added: Json) => Json])[] = [
  [/^required$/, (old, added) => [...new Set([...listOf(old), ...listOf(added)])]],
  [/^(properties|patternProperties|dependent\w+)$/, mergeMembers],
  [/^(items|additionalProperties|propertyNames|contains)$/, combine],
  [/^enum$/, (old, added) => listOf(old).filter((one) => listOf(added).some((other) => isSameJson(one, other)))],
  [/^type$/, mergeTypes],
  [/^(min|exclusiveMin)/, (old, added) => Math.max(Number(old), Number(added))],
  [/^(max|exclusiveMax)/, (old, added) => Math.min(Number(old), Number(added))],
]

function merge(flat: FlatSchema, keyword: string, value: Json): void {
  const [name, added] = keyword === 'const' ? ['enum', [value]] : [keyword, value]
  const old = flat[name]
  const join = JOINS.find(([names]) => names.test(name))?.[1]
  flat[name] = old === undefined || join === undefined ? added : join(old, added)
}

function mergeMembers(old: Json, added: Json): JsonObject {
  const merged = { ...(old as JsonObject) }
  for (const [name, value] of Object.entries(isObject(added) ? added : {}))
    merged[name] = Object.hasOwn(merged, name) ? combine(merged[name] ?? true, value) : value
  return merged
}

function mergeTypes(old: Json, added: Json): Json {
  const [before, after] = [[old].flat(), [added].flat()]
  const isInteger = [before, after].some((types) => types.includes('integer') && !types.includes('number'))
  const widen = (types: Json[]) => (types.includes('integer') ? [...types, 'number'] : types)
  const common = widen(before).filter((type) => widen(after).includes(type))
  return isInteger ? common.map((type) => (type === 'number' ? 'integer' : type)) : common
}
