import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { cutText, describeKnown } from '../../base/core/text.ts'
import type { Operation } from '../contract/contract.ts'
import { fieldOf, listSchemaLocations, typesOf } from './body-locations.ts'
import type { DataOverrides, ExtremeField, ScenarioDefinition } from './definition.ts'
import { namesOf } from './parameters.ts'

/** A kind of scenario that sets fields in a response: all suitable fields, or only those in its `fields` parameter. */
interface FieldScenarioKind {
  readonly name: string
  readonly description: string
  /** Returns the value for a field with this schema, or undefined if the field stays unchanged. */
  readonly valueFor: (schema: JsonObject) => Json | undefined
}

const nullKind: FieldScenarioKind = {
  name: 'null',
  description: 'The named fields are null, even if the generated data has values for them.',
  valueFor: (schema) => (typesOf(schema).includes('null') ? null : undefined),
}

const extremes: readonly FieldScenarioKind[] = [
  {
    name: 'empty-lists',
    description: 'Every list that may be empty is empty.',
    valueFor: (schema) => (isTypeWithoutEnum(schema, 'array') && (schema['minItems'] ?? 0) === 0 ? [] : undefined),
  },
  {
    name: 'largest-numbers',
    description: 'Every number is as large as the contract allows, so totals do not add up.',
    valueFor: largestNumber,
  },
  {
    name: 'longest-texts',
    description: 'Every free-text value is as long as the contract allows, up to 10,000 characters.',
    valueFor: (schema) => textOfSchema(schema, 'This text just keeps going. ', maxTextLength),
  },
  {
    name: 'strange-texts',
    description: 'Every free-text value has quotes, markup, line breaks, emoji, and right-to-left letters.',
    valueFor: (schema) => textOfSchema(schema, strangeText, [...strangeText].length),
  },
]

const maxTextLength = 10_000

const strangeText =
  '"It\'s" \\ 100% <b>&amp;</b> {{name}} $(x) ../%00 \t\r\n\u2028 Zoe\u0308 ß ﬁ 漢字 ' +
  'שלום \u202eمرحبا\u202c 👩‍👩‍👧‍👦🏳️‍🌈 \u200b\ufeff'

export const fieldScenarios = (operations: readonly Operation[]): ScenarioDefinition[] =>
  [nullKind, ...extremes].map((kind) => fieldScenario(kind, operations))

function fieldScenario(kind: FieldScenarioKind, operations: readonly Operation[]): ScenarioDefinition {
  const { name, description } = kind
  const isNull = kind === nullKind
  // The keys are IDs, since each simulator has its own `Operation` objects. Fields are listed only on first use.
  const byOperation = once(() => new Map(operations.map((operation) => [operation.id, listFields(kind, operation)])))
  const listAll = () => [...byOperation().values()].flat()
  return {
    name,
    family: 'data',
    description,
    parameters: [
      {
        name: 'fields',
        type: 'names',
        required: isNull,
        get example() {
          return listAll()[0]?.field ?? 'FIELD'
        },
        description: isNull
          ? 'Nullable fields, separated by "|", e.g. fields=recommendations|dataPoints.avgSafetyScore.'
          : 'The fields to change, such as dataPoints.messageCount, separated by "|"; the default is all fields.',
      },
    ],
    inapplicableReason: ({ id }) =>
      byOperation().get(id)?.length === 0 ? `the response of ${id} has no suitable field` : undefined,
    problem(values) {
      const known = listAll().map(({ field }) => field)
      const unknown = namesOf(values, 'fields').find((field) => !known.includes(field))
      return unknown && `it does not apply to the field "${cutText(unknown)}". ${describeKnown(unknown, known)}`
    },
    effect(values) {
      const names = namesOf(values, 'fields')
      if (isNull) return { kind: 'data', overrides: { nulls: names } }
      const fields = listAll().filter(({ field }) => names.length === 0 || names.includes(field))
      return { kind: 'data', overrides: { extreme: { name, fields } } }
    },
  }
}

/** Lists the fields that a scenario can set, parents first. Items share the name of their list: `productIds`. */
function listFields({ valueFor }: FieldScenarioKind, operation: Operation): ExtremeField[] {
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  return listSchemaLocations(schema ?? {}).flatMap((location) => {
    const value = fieldOf(location) === '' ? undefined : valueFor(location.schema)
    return value === undefined ? [] : [{ field: fieldOf(location), value }]
  })
}

/** Changes a body in place: sets non-null fields to extreme values, and then sets the fields in `nulls` to null. */
export function overrideFields(body: JsonObject, { extreme, nulls }: DataOverrides): JsonObject {
  for (const { field, value } of extreme?.fields ?? []) setField(body, field.split('.'), value)
  for (const field of nulls) setField(body, field.split('.'), null)
  return body
}

function setField(within: Json, [name = '', ...rest]: readonly string[], value: Json): void {
  if (Array.isArray(within)) for (const item of within) setField(item, [name, ...rest], value)
  if (!isObject(within)) return
  const old = within[name] ?? null
  if (rest.length > 0) setField(old, rest, value)
  else if (value === null) within[name] = null
  else if (old !== null) within[name] = Array.isArray(old) && !Array.isArray(value) ? old.map(() => value) : value
}

const isTypeWithoutEnum = (schema: JsonObject, type: string) =>
  typesOf(schema).includes(type) && !('enum' in schema || 'const' in schema)

function largestNumber(schema: JsonObject): number | undefined {
  const isNumber = isTypeWithoutEnum(schema, 'number') || isTypeWithoutEnum(schema, 'integer')
  if (!isNumber || 'multipleOf' in schema || 'exclusiveMaximum' in schema) return undefined
  const { maximum, format } = schema
  if (typeof maximum === 'number') return isTypeWithoutEnum(schema, 'number') ? maximum : Math.floor(maximum)
  return format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
}

/** Repeats `text` to `length` characters, within the schema's limits. Returns undefined if free text is not allowed. */
function textOfSchema(schema: JsonObject, text: string, length: number): string | undefined {
  if (!isTypeWithoutEnum(schema, 'string') || 'format' in schema || 'pattern' in schema) return undefined
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const size = Math.min(Math.max(length, Number(minLength)), Number(maxLength))
  // JSON Schema counts characters, some of which are two UTF-16 code units.
  const characters = [...text.repeat(Math.ceil(size / [...text].length))]
  return characters.slice(0, size).join('')
}
