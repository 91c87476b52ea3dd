import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import { isSameJson } from '../../core/same-json.ts'
import {
  type Condition,
  condition,
  type FieldValues,
  type MatchOutcome,
  matchOutcome,
  readQueryValues,
} from '../../exchange/match.ts'
import type { JournalEntry, RecordedBody } from '../../journal/entry.ts'
import { decodeBody, isComplete, parseBody, parseJson } from '../../journal/entry-json.ts'
import { stripSandboxPath } from '../../journal/match.ts'
import { isCredentialName } from '../../journal/redact.ts'
import { redacted } from '../../journal/redact-token.ts'

/** A condition of a pattern on an entry of the journal. */
type EntryCondition = Condition<JournalEntry>

/** Tests a value, which is undefined where it was not sent. */
type ValueTest = (value: string | undefined) => boolean

/** Records a problem of the pattern, which is refused for it, and returns a test that no value passes. */
type Reject = (problem: string) => () => false

/** Tells whether an entry matches a pattern. */
type PatternTest = (entry: JournalEntry) => MatchOutcome

/**
 * Reads WireMock's request pattern: `{"method": "POST", "urlPath": "/v1/events", "headers": {"X-Team": {"equalTo": "a"}}}`.
 * A pattern with an unsupported part is an error, because without that part it would match more requests.
 */
export function readPattern(pattern: JsonObject): Result<PatternTest> {
  const problems: string[] = []
  const reject: Reject = (problem) => {
    problems.push(problem)
    return () => false
  }
  const conditions = Object.entries(pattern).flatMap(([name, value]) => {
    const read = Object.hasOwn(partReaders, name) ? partReaders[name] : undefined
    if (read) return read(value, reject)
    reject(`"${name}" of a request pattern is not understood. Understood: ${partNames()}.`)
    return []
  })
  if (problems.length > 0) return failure(problems.join(' '))
  return success((entry) => matchOutcome(conditions, entry))
}

const expressionNames = ['matches', 'doesNotMatch', 'urlPattern', 'urlPathPattern']

/** Returns true for a pattern with a regular expression, which can take any time. */
export function hasExpression(pattern: Json): boolean {
  if (typeof pattern !== 'object' || pattern === null) return false
  return Object.entries(pattern).some(
    ([name, value]) => expressionNames.includes(name) || hasExpression(value),
  )
}

/** Returns the path and query of a request, without the base path that names its sandbox: `/v1/events?period=7d`. */
export function urlOf({ request }: JournalEntry): string {
  return stripSandboxPath(request.path) + (request.query === '' ? '' : `?${request.query}`)
}

const pathOf = ({ request }: JournalEntry) => stripSandboxPath(request.path)

const partReaders: Readonly<Record<string, (value: Json, reject: Reject) => EntryCondition[]>> = {
  method(value, reject) {
    if (value === 'ANY') return []
    const test = readMatcher('method', { equalTo: value, caseInsensitive: true }, reject)
    return [condition('method', value, ({ request }) => ({ values: [request.method] }), test)]
  },
  url: (value, reject) => readUrl('url', urlOf, { equalTo: value }, reject),
  urlPath: (value, reject) => readUrl('urlPath', pathOf, { equalTo: value }, reject),
  urlPattern: (value, reject) => readUrl('urlPattern', urlOf, { matches: value }, reject),
  urlPathPattern: (value, reject) => readUrl('urlPathPattern', pathOf, { matches: value }, reject),
  headers(value, reject) {
    const valuesOf = ({ request }: JournalEntry, name: string) =>
      [request.headers[name.toLowerCase()] ?? []].flat()
    return readNamed('headers', value, valuesOf, reject)
  },
  queryParameters(value, reject) {
    const valuesOf = ({ request }: JournalEntry, name: string) =>
      readQueryValues(request.query, name).slice(0, 1)
    return readNamed('queryParameters', value, valuesOf, reject)
  },
  bodyPatterns(value, reject) {
    if (Array.isArray(value)) return value.map((item) => readBodyPattern(item, reject))
    reject('"bodyPatterns" is a list.')
    return []
  },
}

const partNames = () => Object.keys(partReaders).join(', ')

function readUrl(
  part: string,
  urlOrPathOf: (entry: JournalEntry) => string,
  matcher: JsonObject,
  reject: Reject,
): EntryCondition[] {
  const test = readMatcher(part, matcher, reject)
  return [condition(part, matcher, (entry: JournalEntry) => withoutRedacted([urlOrPathOf(entry)]), test)]
}

/** Returns the values that are known; a value of which a part was redacted is not. */
function withoutRedacted(values: readonly string[]): FieldValues<string> {
  const known = values.filter((value) => !value.includes(redacted))
  return { values: known, isOpen: known.length < values.length }
}

/** Tells whether a matcher needs the value of a credential, which the journal redacts. Its absence can be tested. */
function needsCredential([name, matcher]: [string, Json]): boolean {
  return isCredentialName(name.toLowerCase()) && !isAbsentMatcher(matcher)
}

function isAbsentMatcher(matcher: Json): boolean {
  return isObject(matcher) && 'absent' in matcher && Object.keys(matcher).length === 1
}

function readNamed(
  part: string,
  value: Json,
  valuesOf: (entry: JournalEntry, name: string) => readonly string[],
  reject: Reject,
): EntryCondition[] {
  if (!isObject(value)) {
    reject(`"${part}" is an object of names and matchers.`)
    return []
  }
  const credential = Object.entries(value).find(needsCredential)
  if (credential) reject(`The journal does not keep the value of "${credential[0]}" of ${part}.`)
  return Object.entries(value).map(([name, matcher]) => {
    const field = `${part}/${name}`
    const test = readMatcher(field, matcher, reject)
    const known = isAbsentMatcher(matcher)
      ? (entry: JournalEntry) => ({ values: valuesOf(entry, name) })
      : (entry: JournalEntry) => withoutRedacted(valuesOf(entry, name))
    return condition(field, matcher, known, test)
  })
}

function readBodyPattern(matcher: Json, reject: Reject): EntryCondition {
  return isObject(matcher) && 'equalToJson' in matcher
    ? bodyCondition(matcher, parseBody, readJsonMatcher(matcher, reject))
    : bodyCondition(matcher, textOf, readMatcher('bodyPatterns', matcher, reject))
}

function bodyCondition<Value extends Json>(
  matcher: Json,
  read: (body: RecordedBody) => Value | undefined,
  test: (value: Value | undefined) => boolean,
): EntryCondition {
  const valuesOf = ({ request: { body } }: JournalEntry): FieldValues<Value> => {
    if (!isComplete(body)) return { values: [], isOpen: true }
    const value = read(body)
    return { values: value === undefined ? [] : [value] }
  }
  return condition('bodyPatterns', matcher, valuesOf, test)
}

function textOf(body: RecordedBody): string | undefined {
  return body.size === 0 ? undefined : decodeBody(body)
}

function readJsonMatcher(
  { equalToJson = null, ignoreExtraElements = false, ...others }: JsonObject,
  reject: Reject,
): (value: Json | undefined) => boolean {
  const [other] = Object.keys(others)
  if (other !== undefined) return reject(`"${other}" beside "equalToJson" is not understood.`)
  const expected = typeof equalToJson === 'string' ? parseJson(equalToJson) : equalToJson
  if (expected === undefined) return reject('"equalToJson" is no JSON.')
  const compare = ignoreExtraElements === true ? includesJson : isSameJson
  return (value) => compare(expected, value)
}

/** Tells whether the actual value equals the expected one, apart from additional members of its objects. */
function includesJson(expected: Json, actual: Json | undefined): boolean {
  if (isObject(expected)) {
    if (!isObject(actual)) return false
    const sent = (name: string) => (Object.hasOwn(actual, name) ? actual[name] : undefined)
    return Object.entries(expected).every(([name, value]) => includesJson(value, sent(name)))
  }
  if (!Array.isArray(expected)) return isSameJson(expected, actual)
  if (!Array.isArray(actual) || actual.length !== expected.length) return false
  return expected.every((item, index) => includesJson(item, actual[index]))
}

type MatcherReader = (expected: Json, reject: Reject, ignoreCase: boolean) => ValueTest

const matchers: Readonly<Record<string, MatcherReader>> = {
  equalTo: textMatcher((text, ignoreCase) => {
    const normalise = (sent: string) => (ignoreCase ? sent.toLowerCase() : sent)
    return (value) => value !== undefined && normalise(value) === normalise(text)
  }),
  contains: textMatcher((text) => (value) => value?.includes(text) === true),
  doesNotContain: textMatcher((text) => (value) => value?.includes(text) !== true),
  matches: regexMatcher((pattern) => (value) => value !== undefined && pattern.test(value)),
  doesNotMatch: regexMatcher((pattern) => (value) => value === undefined || !pattern.test(value)),
  absent: (expected) => (value) => (value === undefined) === (expected === true),
}

function textMatcher(make: (text: string, ignoreCase: boolean) => ValueTest): MatcherReader {
  return (expected, reject, ignoreCase) =>
    typeof expected === 'string'
      ? make(expected, ignoreCase)
      : reject(`A matcher takes text; got ${JSON.stringify(expected).slice(0, 80)}.`)
}

/** Reads a regular expression, which has to match the whole value, as in WireMock. */
function regexMatcher(make: (pattern: RegExp) => ValueTest): MatcherReader {
  return (expected, reject) => {
    try {
      return make(new RegExp(`^(?:${String(expected)})$`, 's'))
    } catch {
      return reject(`This is no regular expression: ${String(expected).slice(0, 80)}`)
    }
  }
}

function readMatcher(place: string, matcher: Json, reject: Reject): ValueTest {
  if (!isObject(matcher)) return reject(`${place} takes a matcher such as {"equalTo": "a"}.`)
  const { caseInsensitive, ...kinds } = matcher
  const tests = Object.entries(kinds).map(([kind, expected]) => {
    const read = Object.hasOwn(matchers, kind) ? matchers[kind] : undefined
    if (read) return read(expected, reject, caseInsensitive === true)
    return reject(`"${kind}" at ${place} is not understood. Understood: ${Object.keys(matchers).join(', ')}.`)
  })
  return (value) => tests.every((test) => test(value))
}
