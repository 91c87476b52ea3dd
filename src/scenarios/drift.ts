import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { failure, type Result, success } from '../core/result.ts'
import { deriveChance } from '../core/seeded.ts'
import { type BodyLocation, bodyLocations, replaced, typesOf } from './body-locations.ts'
import type { DriftedBody, ScenarioDefinition } from './definition.ts'
import { numberOf, type Parameter, textOf } from './parameters.ts'

/** A kind of drift from the contract. Each breaks exactly one rule of the reply's schema. */
interface Drift {
  readonly name: string
  readonly description: string
  /** Returns true where the drift can be done to this value. */
  readonly possible: (site: BodyLocation) => boolean
  /** Returns true where a body of this schema can hold such a value. It is asked before there is a reply. */
  readonly conceivable: (schema: JsonObject, required: boolean) => boolean
  readonly damage: (body: Json, site: BodyLocation) => Json
}

/** Returns true for a schema whose only rule about a value is its type: under an `enum` a wrong type would break two rules. */
const typeOnly = (schema: JsonObject) =>
  typesOf(schema).length > 0 && !('enum' in schema) && !('const' in schema)

const nonNullable = (schema: JsonObject) => typeOnly(schema) && !typesOf(schema).includes('null')

const hasEnum = (schema: JsonObject) => Array.isArray(schema['enum']) && !('const' in schema)

const unexpected = 'unexpectedField'

const drifts: readonly Drift[] = [
  {
    name: 'drop-field',
    description: 'A required field is missing.',
    possible: ({ member }) => member?.required === true,
    conceivable: (_schema, required) => required,
    damage: (body, { pointer }) => replaced(body, pointer, undefined),
  },
  {
    name: 'wrong-type',
    description: 'A field has another type than the contract says.',
    possible: ({ schema, pointer }) => pointer !== '' && typeOnly(schema),
    conceivable: (schema) => typeOnly(schema),
    damage: (body, { pointer, schema }) => replaced(body, pointer, ofAnotherType(typesOf(schema))),
  },
  {
    name: 'null-required',
    description: 'A field that is never null is null.',
    possible: ({ schema, pointer }) => pointer !== '' && nonNullable(schema),
    conceivable: (schema) => nonNullable(schema),
    damage: (body, { pointer }) => replaced(body, pointer, null),
  },
  {
    name: 'unknown-enum',
    description: 'A field has a value that the contract does not list.',
    possible: ({ schema, value }) => hasEnum(schema) && typeof value === 'string',
    conceivable: hasEnum,
    damage: (body, { pointer }) => replaced(body, pointer, 'value_of_a_later_version'),
  },
  {
    name: 'extra-field',
    description:
      'An object has a field that the contract does not list; it breaks only readers that refuse unknown fields.',
    possible: ({ schema, value }) => isObject(value) && isObject(schema['properties']),
    conceivable: (schema) => isObject(schema['properties']),
    damage: (body, { pointer }) => replaced(body, `${pointer}/${unexpected}`, 'added in a later version'),
  },
]

const parameters: readonly Parameter[] = [
  {
    name: 'pointer',
    type: 'text',
    description:
      'Where, as a JSON pointer such as /recommendations/healthLevel; without it a place that the seed settles.',
  },
  {
    name: 'seed',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Another number, another place.',
  },
]

/** Returns the drift family: damage derived from the reply's schema. */
export function driftScenarios(): ScenarioDefinition[] {
  return drifts.map((drift) => ({
    name: drift.name,
    family: 'drift',
    description: drift.description,
    parameters,
    inapplicableReason(operation, values) {
      const schema = operation.responseSchema(operation.successStatus)
      const inside = schema ? insideOf(schema) : []
      const pointer = textOf(values, 'pointer')
      const conceivable = inside.filter((one) => drift.conceivable(one.schema, one.required))
      // A write is stored before its reply can be damaged, so its drift must name a field that every reply has.
      const fitting = conceivable.filter(({ certain }) => certain || operation.method === 'GET')
      if (fitting.length === 0) return `the answer of ${operation.id} has no field that this could be done to`
      if (pointer === undefined || fitting.some((one) => one.pattern.test(pointer))) return undefined
      return `it cannot be done at ${pointer} of the answer of ${operation.id}. Possible: ${fitting.map((one) => one.path).join(', ')}`
    },
    effect: (values) => ({
      kind: 'drift',
      damage: (body, schema, seed) =>
        damageAt(drift, body, schema, textOf(values, 'pointer'), `${seed}:${numberOf(values, 'seed')}`),
    }),
  }))
}

function damageAt(
  drift: Drift,
  body: Json,
  schema: JsonObject,
  pointer: string | undefined,
  seed: string,
): Result<DriftedBody> {
  const possible = bodyLocations(body, schema).filter(drift.possible)
  const chosen = Math.floor(deriveChance([seed, drift.name]) * possible.length)
  const site = pointer === undefined ? possible[chosen] : possible.find((one) => one.pointer === pointer)
  if (site) return success({ body: drift.damage(body, site), pointer: site.pointer })
  const where = pointer === undefined ? 'anywhere in' : `at ${pointer} of`
  return failure(`The scenario "${drift.name}" cannot be done ${where} this answer.`)
}

/** A schema within a response schema, with the pointers to its values. */
interface SchemaLocation {
  /** JSON pointer with a star for the index of an item: `/dataPoints/*`. */
  readonly path: string
  readonly pattern: RegExp
  readonly schema: JsonObject
  readonly required: boolean
  /** True where every body has the value: it is required at each level, and in no array. */
  readonly certain: boolean
}

/** The locations within each schema, found once: a schema does not change between requests. */
const known = new WeakMap<JsonObject, readonly SchemaLocation[]>()

function insideOf(schema: JsonObject): readonly SchemaLocation[] {
  const inside = known.get(schema) ?? schemasWithin(schema)
  known.set(schema, inside)
  return inside
}

/** The depth at which a schema is taken to be recursive. */
const deepest = 12

const root = { path: '', required: false, certain: true, depth: 0 }

function schemasWithin(schema: JsonObject, { path, required, certain, depth } = root): SchemaLocation[] {
  const pattern = new RegExp(`^${path.split('*').map(literal).join('\\d+')}$`)
  const found: SchemaLocation[] = [{ path, pattern, schema, required, certain }]
  if (depth > deepest) return found
  const { properties, items } = schema
  const names = Array.isArray(schema['required']) ? schema['required'] : []
  const inside = { certain: false, required: false, depth: depth + 1 }
  if (isObject(items)) found.push(...schemasWithin(items, { ...inside, path: `${path}/*` }))
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(inner)) continue
    const isRequired = names.includes(name)
    const at = { ...inside, path: `${path}/${name}`, required: isRequired, certain: certain && isRequired }
    found.push(...schemasWithin(inner, at))
  }
  return found
}

const literal = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

function ofAnotherType(types: readonly string[]): Json {
  const others: Record<string, Json> = { string: 'not what it was', boolean: true, array: [] }
  const [, value] = Object.entries(others).find(([type]) => !types.includes(type)) ?? []
  return value ?? { type: 'object' }
}
