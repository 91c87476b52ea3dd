import type { ErrorObject } from 'ajv'
import { isObject } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { FORMAT_PHRASES } from './formats.ts'
import type { Violation, ViolationLocation } from './violation.ts'

/** More than these are counted, not named: a body of a megabyte can break a rule once in every byte. */
const NAMED = 100

/** How much of a value that was sent is quoted, in characters. */
const QUOTED = 60

/** Every error of an ajv validator (`allErrors`, `verbose`) as a sentence that says what would be right. */
export function toViolations(
  errors: readonly ErrorObject[] | null | undefined,
  place: ViolationLocation,
  base = '',
): Violation[] {
  if (!errors) return []
  const telling = dropRedundantErrors(errors)
  const violations = telling.slice(0, NAMED).map((error) => toViolation(error, place, base))
  const more = telling.length - violations.length
  if (more > 0) {
    violations.push({
      in: place,
      pointer: base,
      keyword: 'more',
      message: `breaks ${more} more rules`,
      count: more,
    })
  }
  return violations
}

/** What was sent, as it can stand in a sentence: `"14d"`, `149`, `an array of 3`, `an object`; long texts are cut. */
function quote(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (isObject(value)) return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length > QUOTED
    ? `${JSON.stringify(value.slice(0, QUOTED)).slice(0, -1)}…"`
    : JSON.stringify(value)
}

/** What was sent, with its type where that is the point: `149 (a number)`. */
function quoteWithType(value: unknown): string {
  const plain = value === null || typeof value === 'object'
  return plain ? quote(value) : `${quote(value)} (a ${typeof value})`
}

function toViolation(error: ErrorObject, place: ViolationLocation, base: string): Violation {
  const member = MEMBER_OF[error.keyword]?.(error.params)
  const at = member === undefined ? error.instancePath : joinPointer(error.instancePath, member)
  const sentence = SENTENCES[error.keyword] ?? (() => error.message ?? `breaks the rule "${error.keyword}"`)
  return { in: place, pointer: `${base}${at}`, keyword: error.keyword, message: sentence(error) }
}

/** Errors about a member that is missing, or too many, point at the member and not at what it is in. */
const MEMBER_OF: Readonly<Record<string, (params: ErrorObject['params']) => string | undefined>> = {
  required: (params) => text(params.missingProperty),
  dependentRequired: (params) => text(params.missingProperty),
  additionalProperties: (params) => text(params.additionalProperty),
  unevaluatedProperties: (params) => text(params.unevaluatedProperty),
}

const SENTENCES: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => 'is required',
  dependentRequired: ({ params }) => `is required beside "${params.property}"`,
  additionalProperties: () => 'is not allowed here',
  unevaluatedProperties: () => 'is not allowed here',
  propertyNames: ({ params }) => `must not have a property called ${quote(params.propertyName)}`,
  type: ({ params, data }) => `must be ${typePhrase(params.type)}; got ${quoteWithType(data)}`,
  enum: ({ params, data }) => `must be ${choice(params.allowedValues)}; got ${quote(data)}`,
  const: ({ params, data }) => `must be ${quote(params.allowedValue)}; got ${quote(data)}`,
  format: ({ params, data }) =>
    `must be ${FORMAT_PHRASES[params.format] ?? `of the format "${params.format}"`}; got ${quote(data)}`,
  pattern: ({ params, data }) => `must match the pattern ${params.pattern}; got ${quote(data)}`,
  minLength: ({ params, data }) =>
    `must have at least ${count(params.limit, 'character')}; got ${quote(data)}`,
  maxLength: ({ params, data }) =>
    `must have at most ${count(params.limit, 'character')}; got ${lengthOf(data)}: ${quote(data)}`,
  minItems: ({ params, data }) => `must have at least ${count(params.limit, 'item')}; got ${lengthOf(data)}`,
  maxItems: ({ params, data }) => `must have at most ${count(params.limit, 'item')}; got ${lengthOf(data)}`,
  minProperties: ({ params, data }) =>
    `must have at least ${count(params.limit, 'property')}; got ${lengthOf(data)}`,
  maxProperties: ({ params, data }) =>
    `must have at most ${count(params.limit, 'property')}; got ${lengthOf(data)}`,
  minimum: (error) => `must be ${range(error)}; got ${error.data}`,
  maximum: (error) => `must be ${range(error)}; got ${error.data}`,
  exclusiveMinimum: ({ params, data }) => `must be more than ${params.limit}; got ${data}`,
  exclusiveMaximum: ({ params, data }) => `must be less than ${params.limit}; got ${data}`,
  multipleOf: ({ params, data }) => `must be a multiple of ${params.multipleOf}; got ${data}`,
  uniqueItems: ({ params }) => `must not hold anything twice; items ${params.j} and ${params.i} are the same`,
  contains: ({ params }) =>
    `must hold at least ${count(params.minContains ?? 1, 'item')} of the described shape`,
  anyOf: ({ data }) => `must have one of the described shapes; got ${quote(data)}`,
  oneOf: ({ data }) => `must have exactly one of the described shapes; got ${quote(data)}`,
  not: ({ data }) => `must not have the shape that is ruled out; got ${quote(data)}`,
  'false schema': () => 'is not allowed here',
}

/**
 * ajv reports a failed choice together with why each alternative failed, just before it. One broken rule is to be one
 * violation: of a choice between something and null the reasons of the something stay, of any other the choice itself.
 */
function dropRedundantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (!errors.some(({ keyword }) => keyword in WRAPPERS)) return errors
  const kept: ErrorObject[] = []
  for (const error of errors) {
    const drop = WRAPPERS[error.keyword]
    if (drop === undefined) kept.push(error)
    else drop(kept, error)
  }
  return kept
}

const WRAPPERS: Readonly<Record<string, (kept: ErrorObject[], error: ErrorObject) => void>> = {
  anyOf: keepOneOfChoice,
  oneOf: keepOneOfChoice,
  // What failed in `then` or `else` has been said; that it was one of them helps nobody.
  if: () => undefined,
}

function keepOneOfChoice(kept: ErrorObject[], choice: ErrorObject): void {
  const branches: unknown = choice.schema
  const inside = (error: ErrorObject) => under(error.instancePath, choice.instancePath)
  const isNull = (error: ErrorObject) =>
    error.keyword === 'type' && error.params.type === 'null' && error.instancePath === choice.instancePath
  const withNull = Array.isArray(branches) && branches.length === 2 && kept.some(isNull)
  const reasons: ErrorObject[] = []
  for (let last = kept.at(-1); last !== undefined && inside(last); last = kept.at(-1)) {
    reasons.unshift(last)
    kept.pop()
  }
  // Several fit (`oneOf`): then no branch has a reason, and what was popped was said of something else.
  if (choice.params.passingSchemas) kept.push(...reasons, choice)
  else if (withNull) kept.push(...reasons.filter((error) => !isNull(error)))
  else kept.push(choice)
}

function under(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

function typePhrase(type: unknown): string {
  const types = Array.isArray(type) ? type : String(type).split(',')
  return types
    .map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`))
    .join(' or ')
}

function choice(values: unknown): string {
  const quoted = Array.isArray(values) ? values.map(quote) : []
  return quoted.length === 1 ? String(quoted[0]) : `one of ${quoted.join(', ')}`
}

/** Both ends of the range where the schema has both, since whoever meets one will want the other. */
function range({ params, parentSchema, keyword }: ErrorObject): string {
  const { minimum, maximum } = parentSchema ?? {}
  if (typeof minimum === 'number' && typeof maximum === 'number') return `from ${minimum} to ${maximum}`
  return `at ${keyword === 'minimum' ? 'least' : 'most'} ${params.limit}`
}

function count(number: number, thing: string): string {
  if (number === 1) return `1 ${thing}`
  return thing.endsWith('y') ? `${number} ${thing.slice(0, -1)}ies` : `${number} ${thing}s`
}

/** As JSON Schema counts: characters are code points, not code units. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
