import type { ErrorObject } from 'ajv'
import { type ExchangePart, isObject, type Violation } from '../core/json.ts'
import { joinPointer, parsePointer } from '../core/json-pointer.ts'
import { cutText, findNearest } from '../core/text.ts'
import { FORMAT_PHRASES } from './formats.ts'

/** The number of errors after which a validator stops checking a list's items or an object's members. */
export const MAX_ERRORS = 100

/** The maximum lengths of a pointer and of quoted text, in characters, and the maximum number of listed members. */
const [MAX_POINTER_LENGTH, MAX_QUOTED_LENGTH, MAX_LISTED] = [500, 60, 20]

/** Returns what to quote instead of a secret value; undefined if the value is not secret. `names`: the value's path. */
export type HideSecret = (names: readonly string[], value: unknown) => string | undefined

/** Turns a validator's errors into violations. `base`: the JSON Pointer of the validated value within `part`. */
export function toViolations(
  errors: readonly ErrorObject[] | null | undefined,
  part: ExchangePart,
  base = '',
  hide: HideSecret = () => undefined,
): Violation[] {
  if (!errors) return []
  const relevant = dropRedundantErrors(errors)
  const violations = relevant.slice(0, MAX_ERRORS).map((error) => toViolation(error, part, base, hide))
  if (errors.length >= MAX_ERRORS) violations.push({ in: part, pointer: base, keyword: 'more', message: MORE_ERRORS })
  return violations
}

const MORE_ERRORS = `may break more rules: the check stops after ${MAX_ERRORS} errors`

/** Formats a value for a sentence: `"14d"`, `149`, `an array of 3 items`, `an object`. Truncates long text. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return value.length ? `an array of ${formatCount(value.length, 'item')}` : 'an empty array'
  if (isObject(value)) return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length > MAX_QUOTED_LENGTH
    ? `${JSON.stringify(value.slice(0, MAX_QUOTED_LENGTH)).slice(0, -1)}…"`
    : JSON.stringify(value)
}

function quoteWithType(value: unknown): string {
  const isTypeEvident = value === null || typeof value === 'object'
  return isTypeEvident ? quote(value) : `${quote(value)} (a ${typeof value})`
}

function toViolation(error: ErrorObject, part: ExchangePart, base: string, hide: HideSecret): Violation {
  const member = error.params[MEMBER_PARAMS[error.keyword] ?? '']
  const at = member === undefined ? error.instancePath : joinPointer(error.instancePath, member)
  const sentence = SENTENCES[error.keyword] ?? (() => error.message ?? `breaks the rule "${error.keyword}"`)
  const pointer = cutText(`${base}${at}`, MAX_POINTER_LENGTH)
  const hidden = hide(parsePointer(error.instancePath), error.data)
  const message = hidden === undefined ? sentence(error) : quoteInstead(hidden, sentence({ ...error, data: '' }))
  return { in: part, pointer, keyword: error.keyword, message }
}

/** Replaces the value that a message quotes at its end. */
const quoteInstead = (text: string, message: string) => message.replace(/^(.*; got ).*/s, `$1${text}`)

/** The ajv parameter that names the missing or extra member, by keyword. Violations point to that member. */
const MEMBER_PARAMS: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  items: 'limit', // the number of allowed items is the index of the first extra item
  unevaluatedItems: 'limit',
}

const SENTENCES: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  dependentRequired: ({ params }) => `is required when "${params.property}" is present`,
  additionalProperties: ({ params, parentSchema }) =>
    `is not allowed here${describeAllowed(params.additionalProperty, parentSchema)}`,
  unevaluatedProperties: () => 'is not allowed here',
  items: () => 'is not allowed here',
  unevaluatedItems: () => 'is not allowed here',
  propertyNames: ({ params }) => `must not have a property called ${quote(params.propertyName)}`,
  type: ({ params, data }) => `must be ${describeTypes(params.type)}; got ${quoteWithType(data)}`,
  enum: ({ params, data }) => `must be ${describeChoice(params.allowedValues)}; got ${quote(data)}`,
  const: ({ params, data }) => `must be ${quote(params.allowedValue)}; got ${quote(data)}`,
  format: ({ params, data }) =>
    `must be ${FORMAT_PHRASES[params.format] ?? `in the format "${params.format}"`}; got ${quote(data)}`,
  pattern: ({ params, data }) => `must match the pattern ${params.pattern}; got ${quote(data)}`,
  minLength: ({ params, data }) => `must have at least ${formatCount(params.limit, 'character')}; got ${quote(data)}`,
  maxLength: ({ params, data }) =>
    `must have at most ${formatCount(params.limit, 'character')}; got ${measureLength(data)}: ${quote(data)}`,
  minItems: describeCount('least', 'item'),
  maxItems: describeCount('most', 'item'),
  minProperties: describeCount('least', 'property'),
  maxProperties: describeCount('most', 'property'),
  minimum: (error) => `must be ${describeRange(error)}; got ${error.data}`,
  maximum: (error) => `must be ${describeRange(error)}; got ${error.data}`,
  exclusiveMinimum: ({ params, data }) => `must be more than ${params.limit}; got ${data}`,
  exclusiveMaximum: ({ params, data }) => `must be less than ${params.limit}; got ${data}`,
  multipleOf: ({ params, data }) => `must be a multiple of ${params.multipleOf}; got ${data}`,
  uniqueItems: ({ params }) => `must not contain duplicates; items ${params.j} and ${params.i} are the same`,
  contains: ({ params: { minContains = 1, maxContains } }) => {
    const upTo = minContains === maxContains ? 'exactly' : minContains === 0 ? 'at most' : `${minContains} to`
    const range = `${maxContains === undefined ? 'at least' : upTo} ${formatCount(maxContains ?? minContains, 'item')}`
    return `must have ${range} matching the schema in "contains"`
  },
  anyOf: ({ data }) => `must match at least one of the alternatives; got ${quote(data)}`,
  oneOf: ({ data }) => `must match exactly one of the alternatives; got ${quote(data)}`,
  not: ({ data }) => `must not match the schema in "not"; got ${quote(data)}`,
  'false schema': () => 'is not allowed here',
}

/**
 * Drops redundant errors. For a failed `anyOf` or `oneOf`, ajv reports the errors of all alternatives and then an error
 * for the keyword. Only this last error is kept or, for a choice between a schema and null, only the schema's errors.
 */
function dropRedundantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const relevant: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') replaceChoice(relevant, error)
    // The error within `then` or `else` has already been reported.
    else if (error.keyword !== 'if') relevant.push(error)
  }
  return relevant
}

function replaceChoice(relevant: ErrorObject[], choice: ErrorObject): void {
  const alternatives: unknown = choice.schema
  const isInside = ({ instancePath: path }: ErrorObject) =>
    path === choice.instancePath || path.startsWith(`${choice.instancePath}/`)
  const isNull = (error: ErrorObject) =>
    error.keyword === 'type' && error.params.type === 'null' && error.instancePath === choice.instancePath
  const allowsNull = Array.isArray(alternatives) && alternatives.length === 2 && relevant.some(isNull)
  const inner: ErrorObject[] = []
  for (let last = relevant.at(-1); last !== undefined && isInside(last); last = relevant.at(-1)) {
    inner.unshift(last)
    relevant.pop()
  }
  // If several alternatives of `oneOf` match, the collected errors can belong to other rules.
  if (choice.params.passingSchemas) relevant.push(...inner, choice)
  else if (allowsNull) relevant.push(...inner.filter((error) => !isNull(error)))
  else relevant.push(choice)
}

/** Returns `; did you mean "probability"?`, a list of the known members, or '' if there are none or too many. */
function describeAllowed(name: unknown, schema: unknown): string {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  const known = Object.keys(properties)
  const nearest = findNearest(String(name), known)
  if (nearest !== undefined) return `; did you mean "${nearest}"?`
  return known.length === 0 || known.length > MAX_LISTED ? '' : `; known: ${known.join(', ')}`
}

function describeTypes(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types.map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ')
}

function describeChoice(values: unknown): string {
  const quoted = Array.isArray(values) ? values.map(quote) : []
  return quoted.length === 1 ? String(quoted[0]) : `one of ${quoted.join(', ')}`
}

/** Returns the range that a number must be in: `at least 1`, or `from 1 to 100` if the schema sets both limits. */
function describeRange({ params, parentSchema, keyword }: ErrorObject): string {
  const { minimum, maximum } = parentSchema ?? {}
  if (typeof minimum === 'number' && typeof maximum === 'number') return `from ${minimum} to ${maximum}`
  return `at ${keyword === 'minimum' ? 'least' : 'most'} ${params.limit}`
}

function describeCount(bound: 'least' | 'most', thing: string) {
  return ({ params, data }: ErrorObject) =>
    `must have at ${bound} ${formatCount(params.limit, thing)}; got ${measureLength(data)}`
}

function formatCount(number: number, thing: string): string {
  if (number === 1) return `1 ${thing}`
  return thing.endsWith('y') ? `${number} ${thing.slice(0, -1)}ies` : `${number} ${thing}s`
}

function measureLength(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}
