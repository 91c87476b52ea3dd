import { isObject, isSameJson, type Json, type JsonObject } from '../../base/core/json.ts'
import { parsePointer, valueAtTokens } from '../../base/core/json-pointer.ts'
import type { Origin } from './reply.ts'
import { readQuery, readTraceId } from './request.ts'

export interface Difference {
  /** The name of the field, such as `operation`, `query/period`, `header/x-team` or `body/components/0/content`. */
  readonly field: string
  readonly expected: Json
  /** The first actual value, or a description of an incomplete body; undefined if there is neither. */
  readonly actual: Json | undefined
  /** True if the values might still match, because the decisive part was redacted or not recorded. */
  readonly isUncertain?: true
}

/** Yields the differences between a subject and a condition; yields nothing if the subject meets the condition. */
export type Condition = (subject: MatchSubject) => Iterable<Difference>

/** Yields every difference between a subject and the conditions, in the order of the conditions. */
export function* findDifferences(conditions: readonly Condition[], subject: MatchSubject): Generator<Difference> {
  for (const compare of conditions) yield* compare(subject)
}

/** Returns whether a subject meets the conditions; `uncertain` if that depends on a redacted or unrecorded part. */
export function matchOutcome(conditions: readonly Condition[], subject: MatchSubject): 'yes' | 'no' | 'uncertain' {
  let outcome: 'yes' | 'uncertain' = 'yes'
  for (const { isUncertain } of findDifferences(conditions, subject)) {
    if (!isUncertain) return 'no'
    outcome = 'uncertain'
  }
  return outcome
}

/** The conditions of a rule, filter or journal query. An absent condition matches every request. */
export interface RequestMatch {
  readonly model?: string
  /** The `productId` in the body, or a product to which the fixtures assign the model in the path. */
  readonly product?: string
  readonly method?: string
  readonly path?: string
  /** Exact values by name; null matches a request without the parameter. */
  readonly query?: Readonly<Record<string, string | null>>
  /** Exact values by case-insensitive name; null matches a request without the header. */
  readonly header?: Readonly<Record<string, string | null>>
  /** Exact values by JSON Pointer if all names are pointers (`{"/eventType": "purchase"}`), or else a partial body. */
  readonly body?: Readonly<Record<string, Json>>
  readonly traceId?: string
  /** A status such as 429, or a status class such as `4xx`. */
  readonly status?: number | string
  readonly origin?: Origin
  /** True for requests that broke the contract, false for all others. */
  readonly violations?: boolean
  /** True for requests that got advice, false for all others. */
  readonly advice?: boolean
  /** True for requests whose response was damaged by a scenario, false for all others. */
  readonly damage?: boolean
}

export interface RequestQuery {
  readonly operation?: string | undefined
  readonly match?: RequestMatch
}

export interface MatchSubject {
  readonly operation: string | undefined
  readonly method?: string
  /** Equivalent spellings of the path; a condition on the path is met if any spelling matches. */
  readonly paths?: readonly string[]
  /** The query as sent; empty if there is none. */
  readonly query?: string
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly models: () => readonly string[]
  readonly products: () => readonly string[]
  readonly body: () => Json | undefined
  /** Undefined before the request is handled. */
  readonly response?: {
    readonly status: number
    readonly origin: Origin
    readonly violations: boolean
    readonly advice: boolean
    readonly damage: boolean
  }
  /** Returns true for a value with a redacted part; absent if no value is redacted. */
  readonly isRedacted?: (value: Json) => boolean
  /** A description of a body that is not stored completely, such as `(only 5 of 9 bytes are stored)`. */
  readonly incompleteBody?: string | undefined
}

export function modelsIn(pathParameters: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(pathParameters).map((id) => id.toLowerCase())
}

/** Returns the lower-case IDs of a request's products: the `productId` in its body, and its models' products. */
export function productsOf(
  body: Json | undefined,
  models: readonly string[],
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const sent = isObject(body) ? body['productId'] : undefined
  const own = typeof sent === 'string' ? [sent.toLowerCase()] : []
  return [...own, ...models.flatMap((id) => productsOfModel.get(id) ?? [])]
}

/** Returns the conditions of a query, cheapest first. */
export function requestConditions({ operation, match = {} }: RequestQuery): Condition[] {
  const { method, status, product, body } = match
  return [
    ...condition('operation', operation, (subject) => toList(subject.operation)),
    ...condition('method', method?.toUpperCase(), (subject) => toList(subject.method)),
    ...condition('path', match.path, ({ paths = [] }) => paths),
    ...condition('traceId', match.traceId?.toLowerCase(), ({ headers }) => toList(readTraceId(headers['traceparent']))),
    ...condition('origin', match.origin, ({ response }) => toList(response?.origin)),
    ...condition('status', status, ({ response }) => toList(response?.status), {
      matches: (sent) => matchesStatus(Number(sent), String(status)),
    }),
    ...(['violations', 'advice', 'damage'] as const).flatMap((name) =>
      condition(name, match[name], ({ response }) => toList(response?.[name])),
    ),
    ...condition('model', match.model?.toLowerCase(), ({ models }) => models()),
    ...Object.entries(match.query ?? {}).flatMap(([name, expected]) =>
      condition(`query/${name}`, expected, ({ query = '' }) => readQueryValues(query, name)),
    ),
    ...Object.entries(match.header ?? {}).flatMap(([headerName, expected]) => {
      const name = headerName.toLowerCase()
      return condition(`header/${name}`, expected, ({ headers }) => toList(headers[name]))
    }),
    ...condition('product', product?.toLowerCase(), ({ products }) => products(), {
      mightMatch: ({ incompleteBody }) => incompleteBody !== undefined,
    }),
    ...(body === undefined ? [] : [bodyCondition(body)]),
  ]
}

function toList<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value]
}

const hasRedactedValue = ({ isRedacted }: MatchSubject, values: readonly Json[]) =>
  values.some((value) => isRedacted?.(value) === true)

/** Returns one condition, or none if `expected` is undefined. If `expected` is null, there must be no value. */
function condition(
  field: string,
  expected: Json | undefined,
  valuesOf: (subject: MatchSubject) => readonly Json[],
  { matches = (value: Json) => value === expected, mightMatch = hasRedactedValue } = {},
): Condition[] {
  if (expected === undefined) return []
  const compare: Condition = function* (subject) {
    const values = valuesOf(subject)
    // Redaction hides a value, but not its existence.
    const isUncertain = expected !== null && mightMatch(subject, values)
    const isMet = values.length > 0 ? values.some(matches) : expected === null
    if (!isMet) yield { field, expected, actual: values[0], ...(isUncertain && { isUncertain: true as const }) }
  }
  return [compare]
}

function matchesStatus(status: number, text: string): boolean {
  return text.length === 3 && text.toLowerCase().endsWith('xx')
    ? Math.floor(status / 100) === Number(text[0])
    : status === Number(text)
}

function readQueryValues(query: string, name: string): readonly string[] {
  const sent = readQuery(query)
  return Object.hasOwn(sent, name) ? [sent[name] ?? []].flat() : []
}

function bodyCondition(expected: JsonObject): Condition {
  const names = Object.keys(expected)
  const arePointers = names.every((name) => name === '' || name.startsWith('/'))
  const members = names.map((pointer) => ({
    field: `body${pointer}`,
    tokens: parsePointer(pointer),
    value: expected[pointer] ?? null,
  }))
  return function* ({ body, incompleteBody }) {
    if (incompleteBody !== undefined)
      return yield { field: 'body', expected, actual: incompleteBody, isUncertain: true }
    const sent = body()
    if (!arePointers) return yield* comparePart('body', expected, sent)
    for (const { field, tokens, value } of members) {
      const actual = valueAtTokens(sent, tokens)
      if (!isSameJson(value, actual)) yield { field, expected: value, actual }
    }
  }
}

/** Compares a part of the body. An object must have every expected member; any other value must be identical. */
function* comparePart(field: string, expected: Json, actual: Json | undefined): Generator<Difference> {
  if (!isObject(expected) || !isObject(actual)) {
    if (!isSameJson(expected, actual)) yield { field, expected, actual }
    return
  }
  for (const [name, value] of Object.entries(expected))
    yield* comparePart(`${field}/${name}`, value, Object.hasOwn(actual, name) ? actual[name] : undefined)
}
