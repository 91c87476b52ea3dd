import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { parsePointer, replaceAt } from '../../base/core/json-pointer.ts'
import { failure, success } from '../../base/core/result.ts'
import { deriveChance } from '../../base/core/seeded.ts'
import { cutText, describeKnown } from '../../base/core/text.ts'
import type { Operation } from '../contract/contract.ts'
import { type BodyField, type BodyLocation, listBodyLocations, listSchemaLocations, typesOf } from './body-locations.ts'
import type { ScenarioDefinition } from './definition.ts'
import { integer, numberOf, type Parameter, type ScenarioValues, textOf } from './parameters.ts'

/** A kind of drift: a way in which a response can deviate from its schema. */
interface Drift {
  readonly name: string
  readonly description: string
  readonly fits: (field: BodyField) => boolean
  /** Returns true for a value that this drift can damage; absent if it can damage any value. */
  readonly fitsValue?: (value: Json) => boolean
  /** Returns the replacement value; undefined removes the member. */
  readonly damage: (location: BodyLocation) => Json | undefined
}

const hasType = (schema: JsonObject) => typesOf(schema).length > 0

const drifts: readonly Drift[] = [
  {
    name: 'drop-field',
    description: 'A required field is missing.',
    fits: ({ isRequired }) => isRequired,
    damage: () => undefined,
  },
  {
    name: 'wrong-type',
    description: 'A field has a type that the contract does not allow.',
    fits: ({ schema, pointer }) => pointer !== '' && hasType(schema),
    damage: ({ schema }) => valueOfAnotherType(typesOf(schema)),
  },
  {
    name: 'null-required',
    description: 'A field that must not be null is null.',
    fits: ({ schema, pointer }) => pointer !== '' && hasType(schema) && !typesOf(schema).includes('null'),
    damage: () => null,
  },
  {
    name: 'unknown-enum',
    description: 'A field has a value that the contract does not list.',
    fits: ({ schema }) => Array.isArray(schema['enum']) && !('const' in schema),
    fitsValue: (value) => typeof value === 'string',
    damage: () => 'value_of_a_later_version',
  },
  {
    name: 'extra-field',
    description:
      'An object has a field that the contract does not list, which breaks only clients that reject unknown fields.',
    fits: ({ schema }) => isObject(schema['properties']),
    fitsValue: isObject,
    damage: ({ value }) => ({ ...(value as JsonObject), unexpectedField: 'added in a later version' }),
  },
]

const parameters: readonly Parameter[] = [
  {
    name: 'pointer',
    type: 'text',
    description:
      'The location, as a JSON Pointer such as /recommendations/healthLevel, or /dataPoints/*/date for each item; ' +
      'by default, the seed selects a location.',
  },
  integer('seed', [0, 1_000_000_000], 'A different number can select a different location.', { default: 0 }),
]

/** The drift family: damage derived from the reply's schema, including its `x-simulated-values`. */
export const driftScenarios = drifts.map(
  (drift): ScenarioDefinition => ({
    name: drift.name,
    family: 'drift',
    description: drift.description,
    parameters,
    inapplicableReason(operation, values) {
      const pointer = textOf(values, 'pointer')
      const candidates = responseLocations(operation).filter(drift.fits)
      // A write is stored before its reply is damaged, so drift that might not apply is refused in advance.
      const allowed = candidates.filter(({ isCertain }) => isCertain || operation.method === 'GET')
      if (allowed.length === 0) return `the response of ${operation.id} has no field that this scenario applies to`
      if (pointer === undefined || allowed.some((field) => withStars(field.pointer) === withStars(pointer)))
        return undefined
      const known = allowed.map((field) => field.pointer || '"" (the whole response)')
      const problem = `it cannot be applied at ${cutText(pointer)} in the response of ${operation.id}.`
      return `${problem} ${describeKnown(pointer, known)}`
    },
    pointers: (operation) =>
      responseLocations(operation).flatMap((field) => (field.pointer !== '' && drift.fits(field) ? field.pointer : [])),
    effect: (values) => ({
      kind: 'drift',
      damage: (body, schema, seed) => damageAt(drift, values, body, schema, seed),
    }),
  }),
)

function damageAt(drift: Drift, values: ScenarioValues, body: Json, schema: JsonObject, seed: string) {
  const pointer = textOf(values, 'pointer')
  const candidates = listBodyLocations(body, schema).filter(
    (field) => drift.fits(field) && (drift.fitsValue?.(field.value) ?? true),
  )
  const index = Math.floor(deriveChance([`${seed}:${numberOf(values, 'seed')}`, drift.name]) * candidates.length)
  const chosen =
    pointer === undefined
      ? candidates.slice(index, index + 1)
      : candidates.filter((field) => field.pointer === pointer || withStars(field.pointer) === pointer)
  const [first] = chosen
  const where = pointer === undefined ? 'anywhere in' : `at ${pointer} in`
  if (!first) return failure(`The scenario "${drift.name}" cannot be applied ${where} this response.`)
  let damaged = body
  for (const field of chosen) damaged = replaceAt(damaged, parsePointer(field.pointer), drift.damage(field)) ?? null
  return success({ body: damaged, pointer: pointer ?? first.pointer })
}

/** Returns a pointer with an asterisk in place of each index: `/dataPoints/*`. */
const withStars = (pointer: string) => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

function responseLocations(operation: Operation) {
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  return schema ? listSchemaLocations(schema) : []
}

function valueOfAnotherType(types: readonly string[]): Json {
  if (!types.includes('string')) return 'a value of another type'
  if (!types.includes('boolean')) return true
  return types.includes('array') ? { type: 'object' } : []
}
