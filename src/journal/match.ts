import { canonicalJson, isObject, type Json, type JsonObject } from '../core/json.ts'
import { valueAt } from '../core/json-pointer.ts'
import { readQuery } from '../core/query-string.ts'
import type { Origin } from '../exchange/exchange.ts'
import type { JournalEntry, RecordedBody } from './entry.ts'
import { isWhole, jsonOf } from './entry-json.ts'
import { isStatus } from './filter.ts'
import { redacted } from './redact.ts'

/** Which requests are meant; what is absent does not narrow. The words are those of a scenario's rule, and what only an answered request has. */
export interface RequestMatch {
  /** Id of the model that was asked for. */
  readonly model?: string
  /** `productId` of the body; for analytics a product that the model belongs to by the fixtures. */
  readonly product?: string
  readonly method?: string
  /** As sent, with or without the sandbox's base path `/_s/NAME`, without the query. */
  readonly path?: string
  /** Exact values; null: was not sent. */
  readonly query?: Readonly<Record<string, string | null>>
  /** Exact values by name in any case; null: was not sent. */
  readonly header?: Readonly<Record<string, string | null>>
  /** Exact values at JSON pointers, where every name is one (`{"/eventType": "purchase"}`); else a part of the body. */
  readonly body?: JsonObject
  /** 429, or `4xx`. */
  readonly status?: number | string
  readonly origin?: Origin
  readonly violations?: boolean
  readonly advice?: boolean
}

/** What is asked of the journal. */
export interface RequestQuery {
  /** `operationId`; undefined: any, or none. */
  readonly operation?: string
  readonly match?: RequestMatch
}

/** What the entry of a request does not tell by itself. Ids in lower case. */
export interface RequestSubjects {
  readonly models: (entry: JournalEntry) => readonly string[]
  readonly products: (entry: JournalEntry, body: Json | undefined) => readonly string[]
}

/** A field in which a request is not the one that is meant. */
export interface Difference {
  /** `operation`, `status`, `query/period`, `header/x-team`, `body/components/0/content`. */
  readonly field: string
  readonly expected: Json
  /** Undefined: there is nothing there. */
  readonly actual: Json | undefined
  /** There may be no difference: what would tell is not kept. */
  readonly isOpen?: true
}

/** Whether a request is one that is asked for; `open`: what would tell is not kept. */
export type MatchOutcome = 'yes' | 'no' | 'open'

/** Every field in which an entry differs from what is asked for; the cheap ones first, the body last. */
export function* differences(
  entry: JournalEntry,
  question: RequestQuery,
  subject: RequestSubjects,
): Generator<Difference> {
  const { match = {} } = question
  const { request, answer } = entry
  yield* exactly('operation', question.operation, entry.operation)
  yield* exactly('method', match.method?.toUpperCase(), request.method)
  if (match.path !== undefined && match.path !== request.path)
    yield* unlessHidden(request.path, exactly('path', match.path, withoutSandbox(request.path)))
  yield* exactly('origin', match.origin, answer.origin)
  if (match.status !== undefined && !isStatus(answer.status, String(match.status)))
    yield { field: 'status', expected: match.status, actual: answer.status }
  yield* exactly('violations', match.violations, entry.violations.length > 0)
  yield* exactly('advice', match.advice, entry.advice.length > 0)
  yield* oneOf('model', match.model?.toLowerCase(), () => subject.models(entry))
  yield* inQuery(match.query, request.query)
  for (const [name, expected] of Object.entries(match.header ?? {})) {
    const actual = request.headers[name.toLowerCase()]
    const difference = nullable(`header/${name.toLowerCase()}`, expected, actual)
    yield* expected === null ? difference : unlessHidden(actual, difference)
  }
  if (match.product === undefined && match.body === undefined) return
  const body = jsonOf(request.body)
  const product = oneOf('product', match.product?.toLowerCase(), () => subject.products(entry, body))
  yield* isWhole(request.body) ? product : open(product)
  yield* inBody(match.body, body, request.body)
}

/** Whether an entry is one that is asked for. */
export function matches(entry: JournalEntry, question: RequestQuery, subject: RequestSubjects): MatchOutcome {
  let answer: MatchOutcome = 'yes'
  for (const { isOpen } of differences(entry, question, subject)) {
    if (!isOpen) return 'no'
    answer = 'open'
  }
  return answer
}

/** Where a part of the value was redacted it may have been any other. */
function unlessHidden(actual: string | undefined, found: Iterable<Difference>): Iterable<Difference> {
  return actual?.includes(redacted) ? open(found) : found
}

function* open(differences: Iterable<Difference>): Generator<Difference> {
  for (const difference of differences) yield { ...difference, isOpen: true }
}

/** A request's path without the base path that names its sandbox. */
export function withoutSandbox(path: string): string {
  return path.replace(/^\/_s\/[^/]*(?=\/)/, '')
}

function* exactly(field: string, expected: Json | undefined, actual: Json | undefined) {
  if (expected !== undefined && expected !== actual) yield { field, expected, actual }
}

function* nullable(field: string, expected: string | null, actual: Json | undefined) {
  if (expected !== (actual ?? null)) yield { field, expected, actual }
}

function* oneOf(field: string, expected: string | undefined, actual: () => readonly string[]) {
  if (expected === undefined) return
  const [first, ...others] = actual()
  if (first !== expected && !others.includes(expected)) yield { field, expected, actual: first }
}

/** Read as the service reads it. */
export function allIn(query: string, name: string): readonly string[] {
  const sent = readQuery(query)
  return Object.hasOwn(sent, name) ? [sent[name] ?? []].flat() : []
}

function* inQuery(expected: RequestMatch['query'], query: string) {
  if (!expected) return
  for (const [name, value] of Object.entries(expected)) {
    const all = allIn(query, name)
    const isThere = value === null ? all.length === 0 : all.includes(value)
    const difference = { field: `query/${name}`, expected: value, actual: all[0] }
    const mayBe = value !== null && all.some((one) => one.includes(redacted))
    if (!isThere) yield mayBe ? ({ ...difference, isOpen: true } as const) : difference
  }
}

function* inBody(expected: JsonObject | undefined, body: Json | undefined, captured: RecordedBody) {
  if (!expected) return
  if (!isWhole(captured)) {
    const actual = `(${captured.bytes?.length ?? 0} bytes of ${captured.size} are kept)`
    yield { field: 'body', expected, actual, isOpen: true } as const
    return
  }
  const names = Object.keys(expected)
  if (!names.every((name) => name === '' || name.startsWith('/')))
    return yield* inPart('body', expected, body)
  for (const pointer of names) {
    const actual = valueAt(body, pointer)
    const value = expected[pointer] ?? null
    if (!isEqual(value, actual)) yield { field: `body${pointer}`, expected: value, actual }
  }
}

/** Of an object every member that is named has to be there; any other value has to be the same. */
function* inPart(field: string, expected: Json, actual: Json | undefined): Generator<Difference> {
  if (!isObject(expected) || !isObject(actual)) {
    if (!isEqual(expected, actual)) yield { field, expected, actual }
    return
  }
  for (const [name, value] of Object.entries(expected))
    yield* inPart(`${field}/${name}`, value, Object.hasOwn(actual, name) ? actual[name] : undefined)
}

/** Whether two values mean the same; nothing is the same as what is not there. */
export function isEqual(expected: Json, actual: Json | undefined): boolean {
  return actual !== undefined && canonicalJson(expected) === canonicalJson(actual)
}
