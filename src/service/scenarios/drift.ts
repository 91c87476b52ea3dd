import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { joinPointer } from '../../base/core/json-pointer.ts'
import { failure, type Result, success } from '../../base/core/result.ts'
import { deriveChance } from '../../base/core/seeded.ts'
import { describeKnown } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Operation } from '../contract/contract.ts'
import { type BodyChange, changeBody, listBodyLocations, typesOf } from './body-locations.ts'
import type { DriftedBody, ScenarioDefinition } from './definition.ts'
import { numberOf, type Parameter, textOf } from './parameters.ts'

/** A place of a response: a value, or the schema of values. */
interface Place {
  /** JSON pointer; that of a schema has a star for the index of an item: `/dataPoints/*`. */
  readonly pointer: string
  readonly schema: JsonObject
  readonly required: boolean
}

/** A kind of drift from the contract, which breaks one rule of the reply's schema at one place. */
interface Drift {
  readonly name: string
  readonly description: string
  /** Returns true for a place that the drift may damage. */
  readonly fits: (place: Place) => boolean
  /** Returns true for a value that it can damage there; absent: any. */
  readonly fitsValue?: (value: Json) => boolean
  readonly damage: (place: Place) => BodyChange
}

const hasType = (schema: JsonObject) => typesOf(schema).length > 0

const drifts: readonly Drift[] = [
  {
    name: 'drop-field',
    description: 'A required field is missing.',
    fits: ({ required }) => required,
    damage: ({ pointer }) => ({ pointer, value: undefined }),
  },
  {
    name: 'wrong-type',
    description: 'A field has another type than the contract says.',
    fits: ({ schema, pointer }) => pointer !== '' && hasType(schema),
    damage: ({ pointer, schema }) => ({ pointer, value: valueOfAnotherType(typesOf(schema)) }),
  },
  {
    name: 'null-required',
    description: 'A field that is never null is null.',
    fits: ({ schema, pointer }) => pointer !== '' && hasType(schema) && !typesOf(schema).includes('null'),
    damage: ({ pointer }) => ({ pointer, value: null }),
  },
  {
    name: 'unknown-enum',
    description: 'A field has a value that the contract does not list.',
    fits: ({ schema }) => Array.isArray(schema['enum']) && !('const' in schema),
    fitsValue: (value) => typeof value === 'string',
    damage: ({ pointer }) => ({ pointer, value: 'value_of_a_later_version' }),
  },
  {
    name: 'extra-field',
    description:
      'An object has a field that the contract does not list; it breaks only readers that refuse unknown fields.',
    fits: ({ schema }) => isObject(schema['properties']),
    fitsValue: isObject,
    damage: ({ pointer }) => ({ pointer: `${pointer}/unexpectedField`, value: 'added in a later version' }),
  },
]

const parameters: readonly Parameter[] = [
  {
    name: 'pointer',
    type: 'text',
    description:
      'Where, as a JSON pointer such as /recommendations/healthLevel, or /dataPoints/*/date for each item; ' +
      'without it a place that the seed settles.',
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

/** Returns the drift family: damage derived from the reply's schema with its simulated values. */
export function driftScenarios(): ScenarioDefinition[] {
  return drifts.map((drift) => ({
    name: drift.name,
    family: 'drift',
    description: drift.description,
    parameters,
    inapplicableReason(operation, values) {
      const pointer = textOf(values, 'pointer')
      const possible = responseLocations(operation).filter(drift.fits)
      // A write is stored before its reply is damaged, so drift that may be impossible is refused beforehand.
      const fitting = possible.filter(({ isCertain }) => isCertain || operation.method === 'GET')
      if (fitting.length === 0) return `the response of ${operation.id} has no field that this could be done to`
      if (pointer === undefined || fitting.some((one) => one.pattern.test(pointer))) return undefined
      const pointers = fitting.map((one) => one.pointer || '"" (the whole response)')
      const known = describeKnown(pointer, pointers)
      return `it cannot be done at ${cutText(pointer)} of the response of ${operation.id}. ${known}`
    },
    pointers(operation) {
      return responseLocations(operation)
        .filter((one) => one.pointer !== '' && drift.fits(one))
        .map((one) => one.pointer)
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
  const possible = listBodyLocations(body, schema).filter(
    (one) => drift.fits(one) && (drift.fitsValue?.(one.value) ?? true),
  )
  if (pointer === undefined) {
    const chosen = possible[Math.floor(deriveChance([seed, drift.name]) * possible.length)]
    if (chosen) return success({ body: changeBody(body, [drift.damage(chosen)]), pointer: chosen.pointer })
    return failure(`The scenario "${drift.name}" cannot be done anywhere in this response.`)
  }
  const named = possible.filter((one) => one.pointer === pointer || withStars(one.pointer) === pointer)
  if (named.length === 0) return failure(`The scenario "${drift.name}" cannot be done at ${pointer} of this response.`)
  return success({ body: changeBody(body, named.map(drift.damage)), pointer })
}

/** Returns a pointer with a star for each index: `/dataPoints/*`. */
const withStars = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

interface SchemaLocation extends Place {
  /** The pattern of the pointers to its values. */
  readonly pattern: RegExp
  /** True where every body has the value: it is required at each level, and in no array. */
  readonly isCertain: boolean
}

/** The locations within each schema, listed once, since a schema does not change between requests. */
const cachedLocations = new WeakMap<JsonObject, readonly SchemaLocation[]>()

function responseLocations(operation: Operation): readonly SchemaLocation[] {
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  if (!schema) return []
  const locations = cachedLocations.get(schema) ?? listSchemaLocations(schema)
  cachedLocations.set(schema, locations)
  return locations
}

/** The depth of the deepest location that is listed; a recursive schema would have no end. */
const maxDepth = 12

const root = { pointer: '', required: false, isCertain: true, depth: 0 }

function listSchemaLocations(schema: JsonObject, { pointer, required, isCertain, depth } = root): SchemaLocation[] {
  const pattern = new RegExp(`^${pointer.split('*').map(escapeRegExp).join('(?:\\d+|\\*)')}$`)
  const found: SchemaLocation[] = [{ pointer, pattern, schema, required, isCertain }]
  if (depth > maxDepth) return found
  const { properties, items } = schema
  const names = Array.isArray(schema['required']) ? schema['required'] : []
  const inside = { isCertain: false, required: false, depth: depth + 1 }
  if (isObject(items)) found.push(...listSchemaLocations(items, { ...inside, pointer: `${pointer}/*` }))
  for (const [name, inner] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(inner)) continue
    const isRequired = names.includes(name)
    const at = { pointer: joinPointer(pointer, name), required: isRequired, isCertain: isCertain && isRequired }
    found.push(...listSchemaLocations(inner, { ...inside, ...at }))
  }
  return found
}

const escapeRegExp = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

/** Returns a value of a type that is none of these. */
function valueOfAnotherType(types: readonly string[]): Json {
  const others: Record<string, Json> = { string: 'not what it was', boolean: true, array: [] }
  const [, value] = Object.entries(others).find(([type]) => !types.includes(type)) ?? []
  return value ?? { type: 'object' }
}
