import { groupBy } from '../../../base/core/group-by.ts'
import { isObject, type Json, type JsonObject, type Violation } from '../../../base/core/json.ts'
import { joinPointer, parsePointer, valueAt, valueAtTokens } from '../../../base/core/json-pointer.ts'
import { redacted } from '../../../base/redaction/redact-token.ts'
import { checkServiceResponse } from '../../../server/upstream/check-response.ts'
import type { TrafficResponse } from '../../../server/upstream/traffic/sample.ts'
import type { Operation } from '../../../service/contract/contract.ts'
import { listSchemaParts, mergeProperties } from '../../../service/contract/schema-parts.ts'
import { findHeaders } from './places.ts'

export const differenceKinds = {
  'undocumented-status': 'an unexpected status',
  'missing-field': 'a missing field',
  'new-field': 'a new field',
  'wrong-type': 'a value with the wrong type',
  null: 'null where the contract does not allow it',
  'enum-value': 'a value that the contract does not list',
  'no-enum': 'an enum that seems to be open-ended',
  format: 'a string with the wrong format',
  constraint: 'a value that breaks another rule of the contract',
  header: 'a header that is missing or does not match the contract',
  'content-type': 'a media type that is missing or is not in the contract',
  'broken-json': 'a body that is empty, is not JSON, or has a flaw that parsers treat differently',
} as const

export type DifferenceKind = keyof typeof differenceKinds

export const isAboutMember = (kind: DifferenceKind) => kind === 'missing-field' || kind === 'new-field'

export interface ResponseDifference {
  readonly kind: DifferenceKind
  /** JSON Pointer into the body, with `*` for the items of an array; empty for the whole body or response. */
  readonly pointer: string
  /** The name of a header, the response's Content-Type, or the keyword of a constraint; empty for other kinds. */
  readonly detail: string
  readonly value: Json | undefined
  readonly keyword: string
  /** True if the broken rule is not in the contract proper, but only in `x-simulated-values`. */
  readonly isSimulated: boolean
  /** What is wrong: `must be a string; got null`, `the header etag is missing`. */
  readonly message: string
}

/** The maximum number of members and items in a compared body. Each takes a few microseconds to compare. */
export const maxMembers = 200_000

/**
 * Compares a response with the contract, and with the narrower rules for simulated responses. `unreadable` is the
 * pointer of the first violation whose value is redacted or whose pointer is truncated. `isTooLarge` is true if the
 * body was too deep or had too many members to be compared. `isComplete` is false if the check stopped early.
 */
export function observe(document: JsonObject, operation: Operation, response: TrafficResponse) {
  const { status, headers, body: bytes } = response
  const mediaType = headers['content-type'] ?? ''
  const checked = checkServiceResponse(operation, { status, mediaType, bytes }, maxMembers)
  const { violations, value: body = null, isTooLarge = false } = checked
  const isBodyChecked = checked.value !== undefined && operation.responseDescription(status) !== undefined
  const simulated = isBodyChecked ? operation.checkSimulatedResponse(status, body) : []
  const all = [...violations, ...simulated]
  const unreadable = all.find((violation) => isUnreadable(violation, body))
  const toDifferences = (list: readonly Violation[], isSimulated: boolean) =>
    list
      .filter((violation) => !isEarlyEnd(violation) && !isUnreadable(violation, body))
      .map((violation) => toDifference(violation, checked.value, mediaType, isSimulated))
  const own = toDifferences(violations, false)
  const newFields = isBodyChecked ? [...listNewFields([body], [operation.responseSchema(status) ?? {}])] : []
  return {
    differences: [
      ...dropConsequences([...own, ...dropKnown(toDifferences(simulated, true), own)]),
      ...dropKnown(newFields, own),
      ...findHeaders(document, operation, status).flatMap((one) => observeHeader(one, headers[one.name]) ?? []),
    ],
    unreadable: unreadable && replaceArrayIndexes(body, unreadable.pointer),
    isTooLarge,
    isComplete: !all.some(isEarlyEnd),
  }
}

/** Returns true for a violation that only reports that a check ended early, after many errors or a timeout. */
const isEarlyEnd = ({ keyword }: Violation) => keyword === 'more' || keyword === 'timeout'

/** Returns true if the pointer is truncated, or if the value is redacted, like the credentials in a recording. */
function isUnreadable({ pointer }: Violation, body: Json): boolean {
  const value = valueAt(body, pointer)
  return pointer.endsWith('…') || (typeof value === 'string' && value.includes(redacted))
}

function dropKnown(
  differences: readonly ResponseDifference[],
  known: readonly ResponseDifference[],
): ResponseDifference[] {
  const pointers = new Set(known.map(({ pointer }) => pointer))
  return differences.filter(({ pointer }) => !pointers.has(pointer))
}

/** Drops differences that follow from a value's wrong type: a number is never in an enum of strings. */
function dropConsequences(differences: readonly ResponseDifference[]): ResponseDifference[] {
  const isConsequence = ({ kind }: ResponseDifference) => ['enum-value', 'format', 'constraint'].includes(kind)
  const wrong = differences.filter(({ kind }) => kind === 'null' || kind === 'wrong-type')
  const pointers = new Set(wrong.map(({ pointer }) => pointer))
  return differences.filter((one) => !isConsequence(one) || !pointers.has(one.pointer))
}

function toDifference(
  { pointer, keyword, message }: Violation,
  body: Json | undefined,
  mediaType: string,
  isSimulated: boolean,
): ResponseDifference {
  const value = keyword === 'media-type' ? undefined : valueAt(body, pointer)
  const kind = kindOf(keyword, pointer, value)
  const detail = kind === 'content-type' ? mediaType : kind === 'constraint' ? keyword : ''
  return { kind, pointer: replaceArrayIndexes(body, pointer), detail, value, keyword, isSimulated, message }
}

/** The kinds of difference, by violation keyword. Keywords that are not listed have the kind `constraint`. */
const kinds: Readonly<Record<string, DifferenceKind>> = {
  status: 'undocumented-status',
  'media-type': 'content-type',
  json: 'broken-json',
  required: 'missing-field',
  dependentRequired: 'missing-field',
  additionalProperties: 'new-field',
  unevaluatedProperties: 'new-field',
  type: 'wrong-type',
  anyOf: 'wrong-type',
  oneOf: 'wrong-type',
  enum: 'enum-value',
  const: 'enum-value',
  format: 'format',
}

function kindOf(keyword: string, pointer: string, value: Json | undefined): DifferenceKind {
  if (keyword === 'required' && pointer === '') return 'broken-json' // the whole body is missing
  const kind = kinds[keyword] ?? 'constraint'
  if (kind !== 'wrong-type' && kind !== 'enum-value') return kind
  if (value === null) return 'null'
  return typeof value === 'object' ? 'wrong-type' : kind
}

function replaceArrayIndexes(body: Json | undefined, pointer: string): string {
  const tokens = parsePointer(pointer)
  const isIndex = (at: number) => Array.isArray(valueAtTokens(body, tokens.slice(0, at)))
  return joinPointer('', ...tokens.map((token, at) => (isIndex(at) ? '*' : token)))
}

/**
 * Yields a difference for each member that no schema describes, except in objects whose member names are data. The
 * `schemas` must be dereferenced. Each of them applies to each of the `values`.
 */
function* listNewFields(
  values: readonly Json[],
  schemas: readonly JsonObject[],
  pointer = '',
): Generator<ResponseDifference, void> {
  const parts = schemas.flatMap(listSchemaParts)
  const items = values.filter((value) => Array.isArray(value)).flat()
  const itemSchemas = parts.flatMap((part) => (isObject(part.items) ? [part.items] : []))
  if (items.length > 0 && itemSchemas.length > 0) yield* listNewFields(items, itemSchemas, `${pointer}/*`)
  const properties = mergeProperties(parts)
  if (properties.size === 0 || parts.some(hasFreeNames)) return
  const members = groupBy(values.filter(isObject).flatMap(Object.entries<Json>), ([name]) => name)
  for (const [name, named] of members) {
    const at = joinPointer(pointer, name)
    const inner = properties.get(name)
    const found = named.map(([, value]) => value)
    if (inner) yield* listNewFields(found, inner, at)
    else for (const value of found) yield { ...newField, pointer: at, value }
  }
}

const newField = {
  kind: 'new-field',
  detail: '',
  keyword: '',
  isSimulated: false,
  message: 'is not in the contract',
} as const

/** Returns true if unlisted members have a schema, which means that their names are data. */
function hasFreeNames({ patternProperties, additionalProperties }: JsonObject): boolean {
  const typeKeywords = ['type', '$ref', 'properties', 'anyOf', 'oneOf', 'allOf']
  const isTyped = isObject(additionalProperties) && typeKeywords.some((name) => name in additionalProperties)
  return isTyped || isObject(patternProperties)
}

function observeHeader(
  { name, required, schema }: ReturnType<typeof findHeaders>[number],
  text: string | undefined,
): ResponseDifference | undefined {
  const found = { kind: 'header', pointer: '', detail: name, value: text, isSimulated: false } as const
  if (text === undefined)
    return required ? { ...found, keyword: 'required', message: `the header ${name} is missing` } : undefined
  if (fitsType(text, schema)) return undefined
  const message = `the header ${name} must be ${describeType(schema)}; got ${JSON.stringify(text.slice(0, 60))}`
  return { ...found, keyword: 'type', message }
}

/** The pattern of a header's value, by type. Other types allow any text. */
const patterns: Readonly<Record<string, RegExp>> = {
  integer: /^[+-]?\d+$/,
  number: /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  boolean: /^(true|false)$/,
}

function fitsType(text: string, { type, enum: values }: JsonObject): boolean {
  if (Array.isArray(values)) return values.some((value) => String(value) === text.trim())
  const types = [type ?? []].flat()
  return types.length === 0 || types.some((name) => patterns[String(name)]?.test(text.trim()) ?? true)
}

function describeType({ type, enum: values }: JsonObject): string {
  return Array.isArray(values) ? `one of ${values.join(', ')}` : `of type ${[type ?? []].flat().join(' or ')}`
}
