import { isObject, type Json, type JsonObject } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { describeKnown } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Operation } from '../contract/contract.ts'
import { typesOf } from './body-locations.ts'
import type { ExtremeField, ScenarioDefinition } from './definition.ts'
import { namesOf, type ScenarioValues } from './parameters.ts'

/** A kind of responses that are right by the schema of the reply, and extreme. */
interface ExtremeKind {
  readonly name: string
  readonly description: string
  readonly extremeOf: (schema: JsonObject) => Json | undefined
}

const kinds: readonly ExtremeKind[] = [
  {
    name: 'empty-lists',
    description: 'Every list that may be empty is empty.',
    extremeOf: (schema) => (isOfType(schema, 'array') && (schema['minItems'] ?? 0) === 0 ? [] : undefined),
  },
  {
    name: 'largest-numbers',
    description: 'Every number is the largest that the contract allows, so totals do not add up.',
    extremeOf: largestNumber,
  },
  {
    name: 'longest-texts',
    description: 'Every free text is as long as the contract allows, at most 10000 characters.',
    extremeOf: (schema) => textOfSchema(schema, 'A text that goes on and on. ', maxTextLength),
  },
  {
    name: 'strange-texts',
    description:
      'Every free text has quotes, markup, line breaks, emoji, and letters that are written from right to left.',
    extremeOf: (schema) => textOfSchema(schema, strangeText, [...strangeText].length),
  },
]

/** The length of the longest text where the contract has no bound. */
const maxTextLength = 10_000

const strangeText =
  '"It\'s" \\ 100% <b>&amp;</b> {{name}} $(x) ../%00 \t\r\n\u2028 Zoe\u0308 ß ﬁ 漢字 ' +
  'שלום \u202eمرحبا\u202c 👩‍👩‍👧‍👦🏳️‍🌈 \u200b\ufeff'

/** Returns the scenarios whose responses are right and extreme. `operations`: those whose responses are generated. */
export function extremeScenarios(operations: readonly Operation[]): Omit<ScenarioDefinition, 'inapplicableReason'>[] {
  return kinds.map((kind) => {
    // By id, since each simulator has operations of its own; listed on first use, since a start needs no extremes.
    const byOperation = once(
      () => new Map(operations.map((operation) => [operation.id, listExtremeFields(kind, operation)])),
    )
    const fields = once(() => [...byOperation().values()].flat())
    const names = once(() => fields().map(({ field }) => field))
    return {
      name: kind.name,
      family: 'data',
      description: kind.description,
      parameters: [
        {
          name: 'fields',
          type: 'names',
          get example() {
            return names()[0] ?? 'FIELD'
          },
          description: 'Only these fields, separated by "|", such as dataPoints.messageCount; without it all of them.',
        },
      ],
      fields: (operation) => (byOperation().get(operation.id) ?? []).map(({ field }) => field),
      problem(values) {
        const unknown = readFieldNames(values)?.find((name) => !names().includes(name))
        if (unknown === undefined) return undefined
        return `"${cutText(unknown)}" is no such field. ${describeKnown(unknown, names())}`
      },
      effect: (values) => {
        const only = readFieldNames(values)
        const chosen = only ? fields().filter(({ field }) => only.includes(field)) : fields()
        return { kind: 'data', overrides: { extreme: { name: kind.name, fields: chosen } } }
      },
    }
  })
}

const readFieldNames = (values: ScenarioValues) =>
  values['fields'] === undefined ? undefined : namesOf(values, 'fields')

function listExtremeFields({ extremeOf }: ExtremeKind, operation: Operation): readonly ExtremeField[] {
  const schema = operation.simulatedResponseSchema(operation.successStatus)
  return schema ? listFields(schema, '', extremeOf, 0) : []
}

/** The depth of the deepest field that is listed; a recursive schema would have no end. */
const maxDepth = 8

/** Lists the extreme fields, outermost first: `recommendations.strengths`. A list stands for its items. */
function listFields(
  schema: JsonObject,
  field: string,
  extremeOf: ExtremeKind['extremeOf'],
  depth: number,
): ExtremeField[] {
  const value = field === '' ? undefined : extremeOf(schema)
  const own = value === undefined ? [] : [{ field, value }]
  if (depth === maxDepth) return own
  const { properties, items } = schema
  const members = isObject(properties) ? Object.entries(properties) : []
  const inner = members.flatMap(([name, one]) =>
    isObject(one) ? listFields(one, field === '' ? name : `${field}.${name}`, extremeOf, depth + 1) : [],
  )
  return [...own, ...(isObject(items) ? listFields(items, field, extremeOf, depth + 1) : []), ...inner]
}

/** Sets fields of a body to their extreme values where they have a value; null stays. The body is changed. */
export function setExtremes(body: JsonObject, fields: readonly ExtremeField[]): void {
  for (const { field, value } of fields) setField(body, field.split('.'), value)
}

function setField(within: Json, [name = '', ...rest]: readonly string[], value: Json): void {
  if (Array.isArray(within)) for (const item of within) setField(item, [name, ...rest], value)
  if (!isObject(within)) return
  const old = within[name] ?? null
  if (old === null) return
  if (rest.length > 0) setField(old, rest, value)
  else within[name] = Array.isArray(old) && !Array.isArray(value) ? old.map(() => value) : value
}

const isOfType = (schema: JsonObject, type: string) =>
  typesOf(schema).includes(type) && !('enum' in schema || 'const' in schema)

/** Returns the largest number of a schema, or without a bound the largest whole number that JSON readers take. */
function largestNumber(schema: JsonObject): number | undefined {
  const isNumber = isOfType(schema, 'number') || isOfType(schema, 'integer')
  if (!isNumber || 'multipleOf' in schema || 'exclusiveMaximum' in schema) return undefined
  const { maximum, format } = schema
  if (typeof maximum === 'number') return isOfType(schema, 'number') ? maximum : Math.floor(maximum)
  return format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
}

/** Returns a text of `length` characters, or as many as the schema allows; undefined if it has more rules. */
function textOfSchema(schema: JsonObject, text: string, length: number): string | undefined {
  if (!isOfType(schema, 'string') || 'format' in schema || 'pattern' in schema) return undefined
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const size = Math.min(Math.max(length, Number(minLength)), Number(maxLength))
  // JSON Schema counts characters, some of which are two units of a string.
  const characters = [...text.repeat(Math.ceil(size / [...text].length))]
  return characters.slice(0, size).join('')
}
