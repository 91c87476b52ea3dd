import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { failure, type Result, success } from '../../core/result.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { decodeBody, isComplete, parseBody, parseJson } from '../../journal/entry-json.ts'
import { isSameJson, type MatchOutcome, readQueryValues, stripSandboxPath } from '../../journal/match.ts'
import { isCredentialName, redacted } from '../../journal/redact.ts'

/** Tests an entry of the journal; undefined: the journal has not stored the part on which the result depends. */
type EntryTest = (entry: JournalEntry) => boolean | undefined

/** Tests a value, which is undefined where it was not sent. */
type ValueTest = (value: string | undefined) => boolean

/** Records a problem of the pattern, and returns a test that no value passes. */
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
  const tests = Object.entries(pattern).map(([name, value]) => {
    const read = Object.hasOwn(partReaders, name) ? partReaders[name] : undefined
    if (read) return read(value, reject)
    return reject(`"${name}" of a request pattern is not understood. Understood: ${partNames()}.`)
  })
  if (problems.length > 0) return failure(problems.join(' '))
  const test = allOf(tests)
  return success((entry) => outcomes[String(test(entry))] ?? 'open')
}

const outcomes: Readonly<Record<string, MatchOutcome>> = { true: 'yes', false: 'no' }

/** Joins tests: false where any of them is false, else undefined where any of them is undefined. */
function allOf(tests: readonly EntryTest[]): EntryTest {
  return (entry) => {
    let joined: boolean | undefined = true
    for (const test of tests) {
      const result = test(entry)
      if (result === false) return false
      joined = result && joined
    }
    return joined
  }
}

/** Returns the path and query of a request, without the base path that names its sandbox: `/v1/events?period=7d`. */
export function urlOf({ request }: JournalEntry): string {
  return stripSandboxPath(request.path) + (request.query === '' ? '' : `?${request.query}`)
}

const pathOf = ({ request }: JournalEntry) => stripSandboxPath(request.path)

const partReaders: Readonly<Record<string, (value: Json, reject: Reject) => EntryTest>> = {
  method: (value, reject) => {
    const isAny = value === 'ANY'
    const test = matchers['equalTo']?.(value, reject, true)
    return (entry) => isAny || test?.(entry.request.method) === true
  },
  url: (value, reject) => readUrlTest(urlOf, 'equalTo', value, reject),
  urlPath: (value, reject) => readUrlTest(pathOf, 'equalTo', value, reject),
  urlPattern: (value, reject) => readUrlTest(urlOf, 'matches', value, reject),
  urlPathPattern: (value, reject) => readUrlTest(pathOf, 'matches', value, reject),
  headers(value, reject) {
    const sent = ({ request }: JournalEntry, name: string) => request.headers[name.toLowerCase()]
    return readNamedTests('headers', value, sent, reject)
  },
  queryParameters(value, reject) {
    const sent = ({ request }: JournalEntry, name: string) => readQueryValues(request.query, name)[0]
    return readNamedTests('queryParameters', value, sent, reject)
  },
  bodyPatterns(value, reject) {
    if (!Array.isArray(value)) return reject('"bodyPatterns" is a list.')
    const test = allOf(value.map((item) => readBodyPattern(item, reject)))
    return (entry) => (isComplete(entry.request.body) ? test(entry) : undefined)
  },
}

const partNames = () => Object.keys(partReaders).join(', ')

function readUrlTest(
  urlOrPathOf: (entry: JournalEntry) => string,
  matcher: string,
  value: Json,
  reject: Reject,
): EntryTest {
  const test = readMatcher(matcher, { [matcher]: value }, reject)
  return (entry) => testUnlessRedacted(urlOrPathOf(entry), test)
}

/** Tests a value; undefined where a part of the value was redacted, because the value that was sent is unknown. */
function testUnlessRedacted(value: string | undefined, test: ValueTest): boolean | undefined {
  return value?.includes(redacted) ? undefined : test(value)
}

/** Tells whether a matcher needs the value of a credential, which the journal redacts. Its absence can be tested. */
function needsCredential([name, matcher]: [string, Json]): boolean {
  return isCredentialName(name.toLowerCase()) && !isAbsentMatcher(matcher)
}

function isAbsentMatcher(matcher: Json): boolean {
  return isObject(matcher) && 'absent' in matcher && Object.keys(matcher).length === 1
}

function readNamedTests(
  part: string,
  value: Json,
  sent: (entry: JournalEntry, name: string) => string | undefined,
  reject: Reject,
): EntryTest {
  if (!isObject(value)) return reject(`"${part}" is an object of names and matchers.`)
  const credential = Object.entries(value).find(needsCredential)
  if (credential) return reject(`The journal does not keep the value of "${credential[0]}" of ${part}.`)
  return allOf(
    Object.entries(value).map(([name, matcher]) => {
      const test = readMatcher(`${part}/${name}`, matcher, reject)
      if (isAbsentMatcher(matcher)) return (entry) => test(sent(entry, name))
      return (entry) => testUnlessRedacted(sent(entry, name), test)
    }),
  )
}

function readBodyPattern(matcher: Json, reject: Reject): EntryTest {
  if (isObject(matcher) && 'equalToJson' in matcher) return readJsonPattern(matcher, reject)
  const test = readMatcher('bodyPatterns', matcher, reject)
  return ({ request }) => test(request.body.size === 0 ? undefined : decodeBody(request.body))
}

function readJsonPattern(
  { equalToJson = null, ignoreExtraElements = false, ...others }: JsonObject,
  reject: Reject,
): EntryTest {
  const [other] = Object.keys(others)
  if (other !== undefined) return reject(`"${other}" beside "equalToJson" is not understood.`)
  const expected = typeof equalToJson === 'string' ? parseJson(equalToJson) : equalToJson
  if (expected === undefined) return reject('"equalToJson" is no JSON.')
  const compare = ignoreExtraElements === true ? includesJson : isSameJson
  return ({ request }) => compare(expected, parseBody(request.body))
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
