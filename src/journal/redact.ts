import { isObject, type Json } from '../core/json.ts'
import type { Violation } from '../documents/violation.ts'

/** The text that replaces a credential. */
export const redacted = '[redacted]'

/** Common headers that carry no credential. The list saves a test of the pattern, which would also match the two idempotency keys. */
const harmlessHeaders = new Set([
  'host',
  'connection',
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'content-length',
  'transfer-encoding',
  'user-agent',
  'sec-fetch-mode',
  'prefer',
  'idempotency-key',
  'x-idempotency-key',
])

/**
 * The pattern of a credential's name. `auth` matches, but in `author...` only `authorisation` and `authorization`; `key` matches
 * after a word such as `api`, and as the last or only word of the name, as `pass` and `sig` do.
 */
const credentialName =
  /auth(?!or(?!i[sz]))|cookie|(api|access|secret|private|subscription|functions|signing)[-_ .]?key|(^|[-_ .])(key|pass|sig)$|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature|amz-security/i

/** The pattern of a name that counts tokens of a language model: `maxTokens`, `token_count`. */
const countName = /tokens$|tokens?[-_]?count$/i

/** A cache of texts that hold no credential, since clients repeat their headers and queries. It is cleared when it holds 500 texts. */
class TextCache {
  readonly #texts = new Set<string>()

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  add(text: string): void {
    if (text.length > 200) return
    if (this.#texts.size >= 500) this.#texts.clear()
    this.#texts.add(text)
  }
}

const harmlessNames = new TextCache()
const harmlessValues = new TextCache()
const harmlessQueries = new TextCache()

/** The length from which a request's own token is redacted everywhere; a shorter one is part of unrelated words. */
const minTokenLength = 8

/** Returns true where the name of a header (in lower case), parameter or JSON member stands for a credential, whose value is redacted. */
export function isCredentialName(name: string): boolean {
  if (harmlessNames.has(name)) return false
  const isCredential = !harmlessHeaders.has(name) && credentialName.test(name)
  if (!isCredential) harmlessNames.add(name)
  return isCredential
}

/** The parts of a request outside its body. */
export interface RequestHead {
  readonly path: string
  readonly query: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** Redacts the credentials of a request's head, and its own bearer token wherever it occurs. */
export function redactHead({ path, query, headers }: RequestHead): RequestHead {
  const token = findToken(headers['authorization'])
  return {
    path: redactToken(path.includes('=') || path.includes('%') ? redactValue(path) : path, token),
    query: redactToken(redactQuery(query), token),
    headers: redactHeaders(headers, token),
  }
}

/**
 * Redacts the credentials of headers, and `token` wherever it occurs. The sandbox of a bearer token stays: `Bearer [redacted]~worker-3`.
 * Headers without credentials are returned themselves, not as a copy.
 */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  token?: string,
): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name] ?? ''
    const clean = redactToken(redactHeader(name, value), token)
    if (clean === value) continue
    copy ??= { ...headers }
    copy[name] = clean
  }
  return copy ?? headers
}

/** Redacts the value of a header; the name is in lower case. */
export function redactHeader(name: string, value: string): string {
  if (name === 'authorization' || name === 'proxy-authorization') return redactAuthorization(value)
  if (isCredentialName(name)) return redacted
  if (harmlessValues.has(value)) return value
  const clean = redactValue(value)
  if (clean === value) harmlessValues.add(value)
  return clean
}

const knownSchemes = ['bearer', 'basic', 'digest', 'negotiate', 'token', 'apikey']
const sandboxSuffix = /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/

function redactAuthorization(value: string): string {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (!knownSchemes.includes(scheme.toLowerCase())) return redacted
  const suffix = scheme.toLowerCase() === 'bearer' ? sandboxSuffix.exec(rest) : null
  return `${scheme} ${redacted}${suffix?.[0].trimEnd() ?? ''}`
}

function findToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const value = authorization.trim()
  const token = value.slice(value.indexOf(' ') + 1).trim()
  const own = token.includes('~') ? token.replace(sandboxSuffix, '') : token
  return own.length >= minTokenLength ? own : undefined
}

function redactToken(text: string, token: string | undefined): string {
  if (token === undefined || text.length < token.length) return text
  const clean = text.includes(token) ? text.replaceAll(token, redacted) : text
  return clean.includes('%') ? clean.replaceAll(encodeURIComponent(token), redacted) : clean
}

/** Redacts the values of query parameters whose names stand for credentials: `api_key=[redacted]`. */
export function redactQuery(query: string): string {
  if (query === '' || harmlessQueries.has(query)) return query
  const clean = redactSchemes(query.replace(/[^?#&;]+/g, redactPair))
  if (clean === query) harmlessQueries.add(query)
  return clean
}

/** Redacts pairs such as `token=x` in any text: a URL, a form, a log line. */
function redactValue(text: string): string {
  const pairs = text.includes('=') || text.includes('%') ? text.replace(/[^\s?#&;,{}<>]+/g, redactPair) : text
  return redactSchemes(pairs)
}

function redactPair(pair: string): string {
  if (!pair.includes('=')) return pair
  const parts = pair.split('=')
  const at = parts.findIndex((name, index) => index < parts.length - 1 && isEncodedCredentialName(name))
  if (at >= 0) return `${parts.slice(0, at + 1).join('=')}=${redacted}`
  // An encoded URL within a URL: `next=%2Fback%3Ftoken%3Dx`.
  const [name = '', ...rest] = parts
  if (!/%3d/i.test(pair)) return pair
  const within = decodeUri(rest.join('='))
  return within !== undefined && redactValue(within) === within ? pair : `${name}=${redacted}`
}

/** Returns true where a percent-encoded or quoted name stands for a credential, or cannot be decoded. */
function isEncodedCredentialName(name: string): boolean {
  const read = name.includes('%') ? decodeUri(name) : name
  return read === undefined || isCredentialName(read.replace(/["'+]/g, ' ').trim())
}

function decodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The pattern of `Bearer x` and `Basic x`; the space may be percent-encoded. */
const scheme = /\b(bearer|basic)((?:\s|%20|\+|:)+)[^\s"'<>,;&\\]+/gi

function redactSchemes(text: string): string {
  return text.replace(scheme, `$1$2${redacted}`)
}

/** Redacts the members of a JSON value whose names stand for credentials, at any depth, and credentials within its strings. */
export function redactJson(value: Json): Json {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactJson)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isHidden(name, item) ? redacted : redactJson(item)]),
  )
}

function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredentialName(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}

/** Redacts the credentials that the messages of violations quote. */
export function redactViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length === 0) return violations
  return violations.map((violation) => ({ ...violation, message: redactText(violation.message) }))
}

/** Redacts the credentials of any text: forms, URLs, `Bearer x`, and JSON, also if it is cut. */
export function redactText(text: string): string {
  return redactValue(text.includes('"') ? redactMembers(text) : text)
}

const memberStart = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/g
const scalar = /"(?:[^"\\]|\\[\s\S])*"?|[^\s,}\]"]+/y

/** Redacts members in a text that is not valid JSON. The end of a credential that is a list or an object is unknown, so the rest of the text is dropped. */
function redactMembers(text: string): string {
  let clean = ''
  let upTo = 0
  for (const { 0: start, 1: name = '', index } of text.matchAll(memberStart)) {
    if (index < upTo || !isEscapedCredentialName(name)) continue
    const at = index + start.length
    scalar.lastIndex = at
    const value = scalar.exec(text)?.[0] ?? ''
    if (value === 'null' || (countName.test(name) && Number(value) >= 0)) continue
    clean += `${text.slice(upTo, at)}"${redacted}"`
    if (text[at] === '{' || text[at] === '[') return clean
    upTo = at + value.length
  }
  return clean + text.slice(upTo)
}

function isEscapedCredentialName(written: string): boolean {
  if (!written.includes('\\')) return isCredentialName(written)
  try {
    return isCredentialName(String(JSON.parse(`"${written}"`)))
  } catch {
    return true
  }
}
