/** `base/redaction/`: removes credentials from data before it is stored or shown. */
import { unescape as percentDecode } from 'node:querystring'
import { isObject, type Json, type Violation } from '../core/json.ts'
import { endOfMatch, endOfString } from '../core/json-syntax.ts'
import { memoizeLast } from '../core/memoize.ts'
import {
  createLineRedaction,
  findOwnToken,
  isCredentialName,
  isHidden,
  redacted,
  redactPrivateKeys,
  redactToken,
  sandboxSuffix,
} from './redact-token.ts'

interface RequestHead {
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

export function redactHead({ path, query, headers }: RequestHead): RequestHead {
  const token = findOwnToken(headers)
  return {
    path: redactText(path, token),
    query: query === '' ? '' : redactQueriesWith(token)(query),
    headers: redactRequestHeaders(headers),
  }
}

/** Redacts the values of the headers and query parameters listed in `names`, which are in lower case. */
export function redactNamed(head: RequestHead, names: readonly string[]): RequestHead {
  if (names.length === 0) return head
  const isNamed = (name: string) => names.includes(name.toLowerCase())
  const query = head.query.replace(/[^&]+/g, (text) => {
    const [name = ''] = text.split('=', 1)
    return isNamed(percentDecode(name.replaceAll('+', ' '))) ? `${name}=${redacted}` : text
  })
  const headers = Object.entries(head.headers).map(([name, value]) => [name, isNamed(name) ? redacted : value])
  return { path: head.path, query, headers: Object.fromEntries(headers) }
}

/** Returns a query redactor for a token. Cached, since successive requests often share the query and the token. */
const redactQueriesWith = memoizeLast((token: string | undefined) =>
  // The question mark distinguishes a query from text such as `Prefer: code=404`.
  memoizeLast((query: string) => redactText(`?${query}`, token).slice(1)),
)

/** Redacts the headers of a request. Successive requests often share their headers, so the last result is cached. */
const redactRequestHeaders = memoizeLast((headers: RequestHead['headers']) =>
  redactHeaders(headers, findOwnToken(headers)),
)

/** Redacts credentials and `token`, except the token's sandbox suffix. Returns the same object if nothing changes. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  token?: string,
): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name] ?? ''
    const clean = redactHeader(name, value, token)
    if (clean === value) continue
    copy ??= { ...headers }
    copy[name] = clean
  }
  return copy ?? headers
}

export function redactHeader(name: string, value: string, token?: string): string {
  if (name === 'authorization' || name === 'proxy-authorization') return redactAuthorization(value)
  return isCredentialName(name) ? redacted : redactText(value, token)
}

/** `Authorization` schemes other than Bearer. Their names are not redacted, since refusals mention them. */
export const otherSchemes: readonly string[] = ['apikey', 'basic', 'digest', 'negotiate', 'token']
const knownSchemes = ['bearer', ...otherSchemes]

function redactAuthorization(value: string): string {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (!knownSchemes.includes(scheme.toLowerCase())) return redacted
  const suffix = scheme.toLowerCase() === 'bearer' ? sandboxSuffix.exec(rest) : null
  return `${scheme} ${redacted}${suffix?.[0].trimEnd() ?? ''}`
}

/** Redacts `token`, credentials in known formats, and the values of parameters and members with credential names. */
export function redactText(text: string, token?: string): string {
  let clean = redactToken(text, token)
  if (clean.includes('BEGIN')) clean = redactPrivateKeys(clean)
  if (clean.includes('=')) {
    clean = clean.replace(possibleParameter, redactParameter)
    if (clean.search(code) >= 0) clean = clean.replace(code, `$1${redacted}`)
  }
  if (clean.includes('@')) clean = clean.replace(userInfo, `://${redacted}@`)
  clean = redactKnownForms(clean)
  if (clean.includes('"')) clean = redactMembers(clean)
  return hasScheme.test(clean) ? clean.replace(scheme, `$1$2${redacted}`) : clean
}

/** A test for `scheme` (`Bearer x` or `Basic x`, even if percent-encoded), eight times as fast as replacing. */
const hasScheme = /(bearer|basic)[\s%+:]/i
const scheme = /\b(bearer|basic)((?:\s|%20|\+|:)+)[^\s"'<>,;&\\]+/gi

/** Matches an OAuth code or session ID only in a query or form, since `code` is an ordinary word elsewhere. */
const code = /([?&]code=|(?:^|[?&;])sid=)[^\s&;#,"'<>]+/gi

const userInfo = /:\/\/[^\s/?#@"'<>]+@/g

/**
 * Patterns for tokens with a known format: OpenAI, Stripe, GitHub and GitLab; Slack, AWS, Google and JWT; npm. Each
 * matches only at the start of a word (for npm, also after an underscore), so that matching takes linear time.
 */
const knownForms = [
  /(?<![\w-])(?:sk-[\w-]{16,}|[prs]k_(?:live|test)_\w{8,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})/g,
  /(?<![\w-])(?:xox[abeprs]-[\w-]{10,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|eyJ[\w-]{5,}\.eyJ[\w-]+(?:\.[\w-]*)?)/g,
  /(?<![A-Za-z\d-])npm_[A-Za-z\d]{30,}/g,
]

const possibleParameter = /[^\s?#&;,{}<>]+/g

function redactParameter(text: string): string {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  return isCredentialName(name.includes('%') ? percentDecode(name) : name) ? `${name}=${redacted}` : text
}

const colon = /\s*:\s*/y

/** Matches the value of a member: a string (even if truncated), a number or a word. */
const memberValue = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^\s,"[\]{}]+/y

/** Redacts JSON members with credential names, even in truncated JSON. Visits each quote at most twice. */
function redactMembers(text: string): string {
  let clean = ''
  let copied = 0
  for (let opening = text.indexOf('"'); opening >= 0; ) {
    const nameEnd = endOfString(text, opening)
    if (nameEnd === 0) break
    const valueStart = endOfMatch(colon, text, nameEnd)
    const valueEnd = valueStart === nameEnd ? valueStart : endOfMatch(memberValue, text, valueStart)
    if (valueEnd === valueStart) {
      // What looks like a closing quote can be the opening quote of a name.
      opening = nameEnd - 1
      continue
    }
    if (isHiddenText(text.slice(opening + 1, nameEnd - 1), text.slice(valueStart, valueEnd))) {
      clean += `${text.slice(copied, valueStart)}"${redacted}"`
      copied = valueEnd
    }
    opening = text.indexOf('"', valueEnd)
  }
  return copied === 0 ? text : clean + text.slice(copied)
}

/** Redacts the members of a JSON value that have credential names, and credentials within its names and strings. */
export function redactJson(value: Json, token?: string): Json {
  if (typeof value === 'string') return redactText(value, token)
  if (Array.isArray(value)) return redactList(value, token)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, item]) => [
    redactName(name, token),
    isHidden(name, item) ? redacted : redactJson(item, token),
  ])
  return Object.fromEntries(members)
}

const redactName = (name: string, token: string | undefined) => redactKnownForms(redactToken(name, token))

function redactKnownForms(text: string): string {
  return knownForms.reduce((clean, form) => (clean.search(form) >= 0 ? clean.replace(form, redacted) : clean), text)
}

function redactList(items: readonly Json[], token: string | undefined): Json {
  const redactLine = createLineRedaction()
  return items.map((item) => redactJson(typeof item === 'string' ? redactLine(item) : item, token))
}

/** Returns true if a member with this name and text must be redacted. Never true for `null` or a token count. */
export function isHiddenText(name: string, value: string): boolean {
  if (value === 'null') return false
  return isHidden(name, Number.isNaN(Number(value)) ? value : Number(value))
}

const none: readonly Violation[] = []

export function redactViolations(violations: readonly Violation[], token?: string): readonly Violation[] {
  if (violations.length === 0) return none
  return violations.map((violation) => ({
    ...violation,
    pointer: redactName(violation.pointer, token),
    message: redactText(violation.message, token),
  }))
}
