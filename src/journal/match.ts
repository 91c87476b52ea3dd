import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.ts'
import { valueAt } from '../core/json-pointer.ts'
import { readQuery } from '../core/query-string.ts'
import type { Origin } from '../exchange/reply.ts'
import type { JournalEntry, RecordedBody } from './entry.ts'
import { isComplete, parseBody } from './entry-json.ts'
import { matchesStatus } from './filter.ts'
import { redacted } from './redact.ts'

/** The conditions of a query on the journal, in the words of a scenario's rule; an absent condition matches every request. */
export interface RequestMatch {
  /** The id of the model that the request names. */
  readonly model?: string
  /** The `productId` of the body; for analytics a product to which the fixtures assign the model. */
  readonly product?: string
  readonly method?: string
  /** The path as sent, with or without the sandbox's base path `/_s/NAME`, without the query. */
  readonly path?: string
  /** Exact values by name; null matches a request without the parameter. */
  readonly query?: Readonly<Record<string, string | null>>
  /** Exact values by name in any case; null matches a request without the header. */
  readonly header?: Readonly<Record<string, string | null>>
  /** Exact values by JSON pointer if every name is a pointer (`{"/eventType": "purchase"}`); otherwise a part of the body. */
  readonly body?: JsonObject
  /** A status such as 429, or a class of statuses such as `4xx`. */
  readonly status?: number | string
  readonly origin?: Origin
  readonly violations?: boolean
  readonly advice?: boolean
}

/** A query on the journal. */
export interface RequestQuery {
  /** The `operationId`; undefined matches every request, also one that matches no operation. */
  readonly operation?: string
  readonly match?: RequestMatch
}

/** Functions that return the models and products of a request, which an entry does not store. Ids are in lower case. */
export interface RequestSubjects {
  readonly models: (entry: JournalEntry) => readonly string[]
  readonly products: (entry: JournalEntry, body: Json | undefined) => readonly string[]
}

/** A field of a request whose value is not the expected one. */
export interface Difference {
  /** The name of the field: `operation`, `status`, `query/period`, `header/x-team`, `body/components/0/content`. */
  readonly field: string
  readonly expected: Json
  /** The value of the request; undefined where it has none. */
  readonly actual: Json | undefined
  /** True where the values may be equal: the part that decides is redacted or not stored. */
  readonly isOpen?: true
}

/** The outcome of a match; `open` where the part that decides is redacted or not stored. */
export type MatchOutcome = 'yes' | 'no' | 'open'

/** Yields every difference between an entry and a query; cheap comparisons come first, the body last. */
export function* findDifferences(
  entry: JournalEntry,
  query: RequestQuery,
  subjects: RequestSubjects,
): Generator<Difference> {
  const { match = {} } = query
  const { request, answer } = entry
  yield* compareValue('operation', query.operation, entry.operation)
  yield* compareValue('method', match.method?.toUpperCase(), request.method)
  if (match.path !== undefined && match.path !== request.path)
    yield* openIfRedacted(request.path, compareValue('path', match.path, stripSandboxPath(request.path)))
  yield* compareValue('origin', match.origin, answer.origin)
  if (match.status !== undefined && !matchesStatus(answer.status, String(match.status)))
    yield { field: 'status', expected: match.status, actual: answer.status }
  yield* compareValue('violations', match.violations, entry.violations.length > 0)
  yield* compareValue('advice', match.advice, entry.advice.length > 0)
  yield* compareAny('model', match.model?.toLowerCase(), () => subjects.models(entry))
  yield* compareQuery(match.query, request.query)
  for (const [name, expected] of Object.entries(match.header ?? {})) {
    const actual = request.headers[name.toLowerCase()]
    const difference = compareNullable(`header/${name.toLowerCase()}`, expected, actual)
    yield* expected === null ? difference : openIfRedacted(actual, difference)
  }
  if (match.product === undefined && match.body === undefined) return
  const body = parseBody(request.body)
  const product = compareAny('product', match.product?.toLowerCase(), () => subjects.products(entry, body))
  yield* isComplete(request.body) ? product : markOpen(product)
  yield* compareBody(match.body, body, request.body)
}

/** Compares an entry with a query, up to the first certain difference. */
export function matches(entry: JournalEntry, query: RequestQuery, subjects: RequestSubjects): MatchOutcome {
  let outcome: MatchOutcome = 'yes'
  for (const { isOpen } of findDifferences(entry, query, subjects)) {
    if (!isOpen) return 'no'
    outcome = 'open'
  }
  return outcome
}

/** Marks differences as open if a part of the value was redacted: it may have been the expected one. */
function openIfRedacted(actual: string | undefined, found: Iterable<Difference>): Iterable<Difference> {
  return actual?.includes(redacted) ? markOpen(found) : found
}

function* markOpen(differences: Iterable<Difference>): Generator<Difference> {
  for (const difference of differences) yield { ...difference, isOpen: true }
}

/** Removes the base path that names a sandbox: `/_s/worker-3/v1/events` becomes `/v1/events`. */
export function stripSandboxPath(path: string): string {
  return path.replace(/^\/_s\/[^/]*(?=\/)/, '')
}

function* compareValue(field: string, expected: Json | undefined, actual: Json | undefined) {
  if (expected !== undefined && expected !== actual) yield { field, expected, actual }
}

function* compareNullable(field: string, expected: string | null, actual: Json | undefined) {
  if (expected !== (actual ?? null)) yield { field, expected, actual }
}

function* compareAny(field: string, expected: string | undefined, actual: () => readonly string[]) {
  if (expected === undefined) return
  const [first, ...others] = actual()
  if (first !== expected && !others.includes(expected)) yield { field, expected, actual: first }
}

/** Returns the values of a query parameter, read as the service reads them; empty where it was not sent. */
export function readQueryValues(query: string, name: string): readonly string[] {
  const sent = readQuery(query)
  return Object.hasOwn(sent, name) ? [sent[name] ?? []].flat() : []
}

function* compareQuery(expected: RequestMatch['query'], query: string) {
  if (!expected) return
  for (const [name, value] of Object.entries(expected)) {
    const all = readQueryValues(query, name)
    const isThere = value === null ? all.length === 0 : all.includes(value)
    const difference = { field: `query/${name}`, expected: value, actual: all[0] }
    const mayBe = value !== null && all.some((sent) => sent.includes(redacted))
    if (!isThere) yield mayBe ? ({ ...difference, isOpen: true } as const) : difference
  }
}

function* compareBody(expected: JsonObject | undefined, body: Json | undefined, recorded: RecordedBody) {
  if (!expected) return
  if (!isComplete(recorded)) {
    const actual = `(${recorded.bytes?.length ?? 0} bytes of ${recorded.size} are kept)`
    yield { field: 'body', expected, actual, isOpen: true } as const
    return
  }
  const names = Object.keys(expected)
  if (!names.every((name) => name === '' || name.startsWith('/')))
    return yield* comparePart('body', expected, body)
  for (const pointer of names) {
    const actual = valueAt(body, pointer)
    const value = expected[pointer] ?? null
    if (!isSameJson(value, actual)) yield { field: `body${pointer}`, expected: value, actual }
  }
}

/** Compares a part of the body: an object must have every expected member, any other value must be equal. */
function* comparePart(field: string, expected: Json, actual: Json | undefined): Generator<Difference> {
  if (!isObject(expected) || !isObject(actual)) {
    if (!isSameJson(expected, actual)) yield { field, expected, actual }
    return
  }
  for (const [name, value] of Object.entries(expected))
    yield* comparePart(`${field}/${name}`, value, Object.hasOwn(actual, name) ? actual[name] : undefined)
}

/** Returns true where two JSON values are equal, whatever the order of their members; nothing equals undefined. */
export function isSameJson(expected: Json, actual: Json | undefined): boolean {
  return actual !== undefined && canonicalJson(expected) === canonicalJson(actual)
}
