import { unescape as percentDecode } from 'node:querystring'
import { isObject, type Json } from '../core/json.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { endOfString } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'

/** The text that replaces a credential. */
export const redacted = '[redacted]'

/** Names that the pattern of a credential's name matches, though they stand for none. */
const harmlessNames = new Set(['idempotency-key', 'x-idempotency-key'])

/**
 * The pattern of a credential's name. `auth` matches, but in `author...` only `authorisation` and `authorization`; `key` matches
 * after a word such as `api`, and as the last or only word of the name, as `pass` and `sig` do.
 */
const credentialName =
  /auth(?!or(?!i[sz]))|cookie|(api|access|secret|private|subscription|functions|signing)[-_ .+]?key|(^|[-_ .+])(key|pass|sig)$|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature|amz-security/i

/** The pattern of a name that counts tokens of a language model: `maxTokens`, `token_count`. */
const countName = /tokens$|tokens?[-_]?count$/i

/** The length from which a request's own token is redacted everywhere; a shorter one is part of unrelated words. */
const minTokenLength = 8

/** Returns true where the name of a header (in lower case), parameter or JSON member stands for a credential, whose value is redacted. */
export function isCredentialName(name: string): boolean {
  return credentialName.test(name) && !harmlessNames.has(name)
}

/** The parts of a request outside its body. */
export interface RequestHead {
  readonly path: string
  readonly query: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the request's own token, which is redacted wherever it occurs, without the sandbox `~worker-3`; undefined where it is too short or not sent. */
export const findOwnToken = memoizeLast(({ authorization }: RequestHead['headers']): string | undefined => {
  if (authorization === undefined) return undefined
  const value = authorization.trim()
  const token = value.slice(value.indexOf(' ') + 1).trim()
  const own = token.includes('~') ? token.replace(sandboxSuffix, '') : token
  return own.length >= minTokenLength ? own : undefined
})

/** Redacts the credentials of a request's head, and its own token. */
export function redactHead({ path, query, headers }: RequestHead): RequestHead {
  const token = findOwnToken(headers)
  return {
    path: redactText(path, token),
    query: redactText(query, token),
    headers: redactRequestHeaders(headers),
  }
}

/** Redacts the headers of a request. Successive requests often share them, and then share the redacted ones. */
const redactRequestHeaders = memoizeLast((headers: RequestHead['headers']) =>
  redactHeaders(headers, findOwnToken(headers)),
)

/**
 * Redacts the credentials of headers, and `token`. The sandbox of a bearer token stays: `Bearer [redacted]~worker-3`.
 * Headers without credentials are returned themselves, not as a copy.
 */
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

/** Redacts the value of a header; the name is in lower case. */
export function redactHeader(name: string, value: string, token?: string): string {
  if (name === 'authorization' || name === 'proxy-authorization') return redactAuthorization(value)
  return isCredentialName(name) ? redacted : redactText(value, token)
}

const knownSchemes = ['bearer', 'basic', 'digest', 'negotiate', 'token', 'apikey']
const sandboxSuffix = /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/

function redactAuthorization(value: string): string {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (!knownSchemes.includes(scheme.toLowerCase())) return redacted
  const suffix = scheme.toLowerCase() === 'bearer' ? sandboxSuffix.exec(rest) : null
  return `${scheme} ${redacted}${suffix?.[0].trimEnd() ?? ''}`
}

/** Redacts `token`, `Bearer x` and `Basic x`, and the values of parameters and members by their names: in a URL, a form, cut JSON. */
export function redactText(text: string, token?: string): string {
  let clean = redactToken(text, token)
  if (clean.includes('=')) clean = clean.replace(possibleParameter, redactParameter)
  if (clean.includes('"')) clean = redactMembers(clean)
  return hasScheme.test(clean) ? clean.replace(scheme, `$1$2${redacted}`) : clean
}

function redactToken(text: string, token: string | undefined): string {
  if (token === undefined || text.length < token.length) return text
  const clean = text.includes(token) ? text.replaceAll(token, redacted) : text
  return clean.includes('%') ? clean.replaceAll(encodeURIComponent(token), redacted) : clean
}

/** The pattern of `Bearer x` and `Basic x`; the space may be percent-encoded. A test is eight times as fast as a replacement that finds nothing. */
const hasScheme = /(bearer|basic)[\s%+:]/i
const scheme = /\b(bearer|basic)((?:\s|%20|\+|:)+)[^\s"'<>,;&\\]+/gi

const possibleParameter = /[^\s?#&;,{}<>]+/g

function redactParameter(text: string): string {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  return isCredentialName(name.includes('%') ? percentDecode(name) : name) ? `${name}=${redacted}` : text
}

/** Between the name and the value of a member of JSON. */
const colon = /\s*:\s*/y

/** The value of a member: a string, which may be cut, or a number or word. */
const memberValue = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^\s,"[\]{}]+/y

/** Redacts members of JSON that may be cut or stand within other text. Each quote is looked at once, so the time is linear. */
function redactMembers(text: string): string {
  let clean = ''
  let copied = 0
  for (let opening = text.indexOf('"'); opening >= 0; ) {
    const nameEnd = endOfString(text, opening)
    if (nameEnd === 0) break
    const valueStart = matchEnd(colon, text, nameEnd)
    const valueEnd = valueStart && matchEnd(memberValue, text, valueStart)
    if (!valueEnd) {
      // The closing quote may as well open a name.
      opening = nameEnd - 1
      continue
    }
    if (isHidden(text.slice(opening + 1, nameEnd - 1), readItem(text.slice(valueStart, valueEnd)))) {
      clean += `${text.slice(copied, valueStart)}"${redacted}"`
      copied = valueEnd
    }
    opening = text.indexOf('"', valueEnd)
  }
  return copied === 0 ? text : clean + text.slice(copied)
}

/** Returns the index after the match of a sticky expression at an index; 0 for none. */
function matchEnd(sticky: RegExp, text: string, start: number): number {
  sticky.lastIndex = start
  return sticky.test(text) ? sticky.lastIndex : 0
}

function readItem(value: string): Json {
  if (value === 'null') return null
  return Number.isNaN(Number(value)) ? value : Number(value)
}

/** Redacts the members of a JSON value whose names stand for credentials, at any depth, and credentials within its names and strings. */
export function redactJson(value: Json, token?: string): Json {
  if (typeof value === 'string') return redactText(value, token)
  if (Array.isArray(value)) return value.map((item) => redactJson(item, token))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, item]) => [
    redactToken(name, token),
    isHidden(name, item) ? redacted : redactJson(item, token),
  ])
  return Object.fromEntries(members)
}

function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredentialName(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}

const none: readonly Violation[] = []

/** Redacts the credentials that violations quote. */
export function redactViolations(violations: readonly Violation[], token?: string): readonly Violation[] {
  if (violations.length === 0) return none
  return violations.map((violation) => ({
    ...violation,
    pointer: redactToken(violation.pointer, token),
    message: redactText(violation.message, token),
  }))
}
