import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { decodeBody, isComplete, parseBody, parseJson } from '../../journal/entry-json.ts'
import { isSameJson, type MatchOutcome, readQueryValues, stripSandboxPath } from '../../journal/match.ts'
import { isCredentialName, redacted } from '../../journal/redact.ts'

/** Undefined: what would tell is not kept. */
type EntryTest = (entry: JournalEntry) => boolean | undefined

/** Whether a value, undefined where it was not sent, is as a matcher wants it. */
type ValueTest = (value: string | undefined) => boolean

/** Takes down what is not understood, and gives a test that nothing passes. */
type Complain = (problem: string) => () => false

/** A request pattern of WireMock as far as it is understood, or what is not. */
export type ReadPattern =
  | { readonly ok: true; readonly isMeant: (entry: JournalEntry) => MatchOutcome }
  | { readonly ok: false; readonly problem: string }

/** Reads WireMock's request pattern: `{"method": "POST", "urlPath": "/v1/events", "headers": {"X-Team": {"equalTo": "a"}}}`. */
export function readPattern(pattern: JsonObject): ReadPattern {
  const problems: string[] = []
  const complain: Complain = (problem) => {
    problems.push(problem)
    return () => false
  }
  const tests = Object.entries(pattern).map(([name, value]) => {
    const read = Object.hasOwn(parts, name) ? parts[name] : undefined
    if (read) return read(value, complain)
    return complain(`"${name}" of a request pattern is not understood. Understood: ${partNames()}.`)
  })
  if (problems.length > 0) return { ok: false, problem: problems.join(' ') }
  const test = all(tests)
  return { ok: true, isMeant: (entry) => answers[String(test(entry))] ?? 'open' }
}

const answers: Readonly<Record<string, MatchOutcome>> = { true: 'yes', false: 'no' }

/** No where one of them says no, whatever is not known to the others. */
function all(tests: readonly EntryTest[]): EntryTest {
  return (entry) => {
    let answer: boolean | undefined = true
    for (const test of tests) {
      const one = test(entry)
      if (one === false) return false
      answer = one && answer
    }
    return answer
  }
}

/** A request's path and query, as it would be without the base path that names its sandbox. */
export function urlOf({ request }: JournalEntry): string {
  return stripSandboxPath(request.path) + (request.query === '' ? '' : `?${request.query}`)
}

const pathOf = ({ request }: JournalEntry) => stripSandboxPath(request.path)

const parts: Readonly<Record<string, (value: Json, complain: Complain) => EntryTest>> = {
  method: (value, complain) => {
    const any = value === 'ANY'
    const test = matchers['equalTo']?.(value, complain, true)
    return (entry) => any || test?.(entry.request.method) === true
  },
  url: (value, complain) => whole(urlOf, 'equalTo', value, complain),
  urlPath: (value, complain) => whole(pathOf, 'equalTo', value, complain),
  urlPattern: (value, complain) => whole(urlOf, 'matches', value, complain),
  urlPathPattern: (value, complain) => whole(pathOf, 'matches', value, complain),
  headers(value, complain) {
    return named('headers', value, ({ request }, name) => request.headers[name.toLowerCase()], complain)
  },
  queryParameters(value, complain) {
    const sent = ({ request }: JournalEntry, name: string) => readQueryValues(request.query, name)[0]
    return named('queryParameters', value, sent, complain)
  },
  bodyPatterns(value, complain) {
    if (!Array.isArray(value)) return complain('"bodyPatterns" is a list.')
    const test = all(value.map((one) => readBodyPattern(one, complain)))
    return (entry) => (isComplete(entry.request.body) ? test(entry) : undefined)
  },
}

const partNames = () => Object.keys(parts).join(', ')

function whole(
  of: (entry: JournalEntry) => string,
  matcher: string,
  value: Json,
  complain: Complain,
): EntryTest {
  const test = readMatcher(matcher, { [matcher]: value }, complain)
  return (entry) => unlessHidden(of(entry), test)
}

/** Where a part of the value was redacted it may have been any other. */
function unlessHidden(value: string | undefined, test: ValueTest): boolean | undefined {
  return value?.includes(redacted) ? undefined : test(value)
}

/** That a credential was not sent is known; what it was is not. */
function isHidden([name, matcher]: [string, Json]): boolean {
  return isCredentialName(name.toLowerCase()) && !asksWhetherSent(matcher)
}

function asksWhetherSent(matcher: Json): boolean {
  return isObject(matcher) && 'absent' in matcher && Object.keys(matcher).length === 1
}

function named(
  part: string,
  value: Json,
  sent: (entry: JournalEntry, name: string) => string | undefined,
  complain: Complain,
): EntryTest {
  if (!isObject(value)) return complain(`"${part}" is an object of names and matchers.`)
  const secret = Object.entries(value).find(isHidden)
  if (secret) return complain(`The journal does not keep the value of "${secret[0]}" of ${part}.`)
  return all(
    Object.entries(value).map(([name, matcher]) => {
      const test = readMatcher(`${part}/${name}`, matcher, complain)
      if (asksWhetherSent(matcher)) return (entry) => test(sent(entry, name))
      return (entry) => unlessHidden(sent(entry, name), test)
    }),
  )
}

function readBodyPattern(matcher: Json, complain: Complain): EntryTest {
  if (isObject(matcher) && 'equalToJson' in matcher) return readJsonPattern(matcher, complain)
  const test = readMatcher('bodyPatterns', matcher, complain)
  return ({ request }) => test(request.body.size === 0 ? undefined : decodeBody(request.body))
}

function readJsonPattern(
  { equalToJson = null, ignoreExtraElements = false, ...others }: JsonObject,
  complain: Complain,
): EntryTest {
  const [other] = Object.keys(others)
  if (other !== undefined) return complain(`"${other}" beside "equalToJson" is not understood.`)
  const wanted = typeof equalToJson === 'string' ? parseJson(equalToJson) : equalToJson
  if (wanted === undefined) return complain('"equalToJson" is no JSON.')
  const isSame = ignoreExtraElements === true ? isPart : isSameJson
  return ({ request }) => isSame(wanted, parseBody(request.body))
}

/** Whether the actual value is as wanted, but for further members of its objects. */
function isPart(wanted: Json, actual: Json | undefined): boolean {
  if (isObject(wanted)) {
    if (!isObject(actual)) return false
    const sent = (name: string) => (Object.hasOwn(actual, name) ? actual[name] : undefined)
    return Object.entries(wanted).every(([name, one]) => isPart(one, sent(name)))
  }
  if (!Array.isArray(wanted)) return isSameJson(wanted, actual)
  if (!Array.isArray(actual) || actual.length !== wanted.length) return false
  return wanted.every((item, index) => isPart(item, actual[index]))
}

type ReadMatcher = (wanted: Json, complain: Complain, ignoreCase: boolean) => ValueTest

const matchers: Readonly<Record<string, ReadMatcher>> = {
  equalTo: ofText((text, ignoreCase) => {
    const fold = (one: string) => (ignoreCase ? one.toLowerCase() : one)
    return (value) => value !== undefined && fold(value) === fold(text)
  }),
  contains: ofText((text) => (value) => value?.includes(text) === true),
  doesNotContain: ofText((text) => (value) => value?.includes(text) !== true),
  matches: ofPattern((pattern) => (value) => value !== undefined && pattern.test(value)),
  doesNotMatch: ofPattern((pattern) => (value) => value === undefined || !pattern.test(value)),
  absent: (wanted) => (value) => (value === undefined) === (wanted === true),
}

function ofText(make: (text: string, ignoreCase: boolean) => ValueTest): ReadMatcher {
  return (wanted, complain, ignoreCase) =>
    typeof wanted === 'string'
      ? make(wanted, ignoreCase)
      : complain(`A matcher takes text; got ${JSON.stringify(wanted).slice(0, 80)}.`)
}

/** As in WireMock, a pattern has to cover the whole value. */
function ofPattern(make: (pattern: RegExp) => ValueTest): ReadMatcher {
  return (wanted, complain) => {
    try {
      return make(new RegExp(`^(?:${String(wanted)})$`, 's'))
    } catch {
      return complain(`This is no regular expression: ${String(wanted).slice(0, 80)}`)
    }
  }
}

function readMatcher(place: string, matcher: Json, complain: Complain): ValueTest {
  if (!isObject(matcher)) return complain(`${place} takes a matcher such as {"equalTo": "a"}.`)
  const { caseInsensitive, ...kinds } = matcher
  const tests = Object.entries(kinds).map(([kind, wanted]) => {
    const read = Object.hasOwn(matchers, kind) ? matchers[kind] : undefined
    if (read) return read(wanted, complain, caseInsensitive === true)
    return complain(
      `"${kind}" at ${place} is not understood. Understood: ${Object.keys(matchers).join(', ')}.`,
    )
  })
  return (value) => tests.every((test) => test(value))
}
