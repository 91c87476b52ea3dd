import { isObject, type Json } from '../core/json.ts'
import type { Violation } from '../documents/violation.ts'

/** What stands where a credential stood. */
export const redacted = '[redacted]'

/** Names that most requests carry and that are no secret, so that the pattern need not be tried on them; two of them it would take for one. */
const plain = new Set([
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
 * What names of credentials have in them. `auth`, but of `author` only `authorisation` and `authorization`; a `key` where the
 * word before it says that it opens something, or where it is the last word of several or the only one, as are `pass` and `sig`.
 */
const credentialName =
  /auth(?!or(?!i[sz]))|cookie|(api|access|secret|private|subscription|functions|signing)[-_ .]?key|(^|[-_ .])(key|pass|sig)$|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature|amz-security/i

/** How many there were, as those who count the tokens of a language model say it. */
const countName = /tokens$|tokens?[-_]?count$/i

/**
 * Texts that were found to hold no credential: the same headers and queries come again and again. Few and short, and forgotten all
 * at once, so that nothing grows.
 */
class Harmless {
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

const harmlessNames = new Harmless()
const harmlessValues = new Harmless()
const harmlessQueries = new Harmless()

/** Shorter ones are no secret, and stand in words that have nothing to do with them. */
const leastToken = 8

/** Whether what stands under a name is redacted: a header (in lower case), a parameter or a member. */
export function isCredential(name: string): boolean {
  if (harmlessNames.has(name)) return false
  const is = !plain.has(name) && credentialName.test(name)
  if (!is) harmlessNames.add(name)
  return is
}

/** The parts of a request outside its body. */
export interface Head {
  readonly path: string
  readonly query: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

/** A request's head as it may be kept: without credentials, and without its own token wherever it stands. */
export function redactedHead({ path, query, headers }: Head): Head {
  const token = tokenIn(headers['authorization'])
  return {
    path: withoutToken(path.includes('=') || path.includes('%') ? redactedValue(path) : path, token),
    query: withoutToken(redactedQuery(query), token),
    headers: redactedHeaders(headers, token),
  }
}

/** The headers without credentials; a copy where there is one. Of a bearer token the sandbox that it names stays: `Bearer [redacted]~worker-3`. */
export function redactedHeaders(
  headers: Readonly<Record<string, string>>,
  token?: string,
): Readonly<Record<string, string>> {
  let copy: Record<string, string> | undefined
  for (const name in headers) {
    const value = headers[name] ?? ''
    const clean = withoutToken(redactedHeader(name, value), token)
    if (clean === value) continue
    copy ??= { ...headers }
    copy[name] = clean
  }
  return copy ?? headers
}

/** The value of a header of this lower-case name as it may be kept. */
export function redactedHeader(name: string, value: string): string {
  if (name === 'authorization' || name === 'proxy-authorization') return redactedAuthorization(value)
  if (isCredential(name)) return redacted
  if (harmlessValues.has(value)) return value
  const clean = redactedValue(value)
  if (clean === value) harmlessValues.add(value)
  return clean
}

const knownSchemes = ['bearer', 'basic', 'digest', 'negotiate', 'token', 'apikey']
const suffixed = /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/

function redactedAuthorization(value: string): string {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s+(.*)$/s.exec(value) ?? []
  if (!knownSchemes.includes(scheme.toLowerCase())) return redacted
  const suffix = scheme.toLowerCase() === 'bearer' ? suffixed.exec(rest) : null
  return `${scheme} ${redacted}${suffix?.[0].trimEnd() ?? ''}`
}

function tokenIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const value = authorization.trim()
  const token = value.slice(value.indexOf(' ') + 1).trim()
  const own = token.includes('~') ? token.replace(suffixed, '') : token
  return own.length >= leastToken ? own : undefined
}

function withoutToken(text: string, token: string | undefined): string {
  if (token === undefined || text.length < token.length) return text
  const clean = text.includes(token) ? text.replaceAll(token, redacted) : text
  return clean.includes('%') ? clean.replaceAll(encodeURIComponent(token), redacted) : clean
}

/** The query with the values of parameters taken out that are named like credentials: `api_key=[redacted]`. */
export function redactedQuery(query: string): string {
  if (query === '' || harmlessQueries.has(query)) return query
  const clean = withoutSchemes(query.replace(/[^?#&;]+/g, redactedPair))
  if (clean === query) harmlessQueries.add(query)
  return clean
}

/** `a?b=c;d=e` and the like in any text: a URL, a form, a log line. */
function redactedValue(text: string): string {
  const pairs =
    text.includes('=') || text.includes('%') ? text.replace(/[^\s?#&;,{}<>]+/g, redactedPair) : text
  return withoutSchemes(pairs)
}

function redactedPair(pair: string): string {
  if (!pair.includes('=')) return pair
  const parts = pair.split('=')
  const at = parts.findIndex((name, index) => index < parts.length - 1 && isCredentialWritten(name))
  if (at >= 0) return `${parts.slice(0, at + 1).join('=')}=${redacted}`
  // A URL within a URL: `next=%2Fback%3Ftoken%3Dx`.
  const [name = '', ...rest] = parts
  if (!/%3d/i.test(pair)) return pair
  const within = decoded(rest.join('='))
  return within !== undefined && redactedValue(within) === within ? pair : `${name}=${redacted}`
}

/** A name as it is written in a URL or within quotes; one that cannot be read may be anything. */
function isCredentialWritten(name: string): boolean {
  const read = name.includes('%') ? decoded(name) : name
  return read === undefined || isCredential(read.replace(/["'+]/g, ' ').trim())
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Not from the beginning of a word that only ends so; the space may be a URL's. */
const scheme = /\b(bearer|basic)((?:\s|%20|\+|:)+)[^\s"'<>,;&\\]+/gi

function withoutSchemes(text: string): string {
  return text.replace(scheme, `$1$2${redacted}`)
}

/** A JSON value without what stands in it under the name of a credential, and without `Bearer x` in its texts. */
export function redactedJson(value: Json): Json {
  if (typeof value === 'string') return redactedText(value)
  if (Array.isArray(value)) return value.map(redactedJson)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isHidden(name, item) ? redacted : redactedJson(item)]),
  )
}

function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredential(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}

/** Violations without the credentials that their messages quote. */
export function redactedViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length === 0) return violations
  return violations.map((violation) => ({ ...violation, message: redactedText(violation.message) }))
}

/** Any text without credentials: forms, URLs, `Bearer x`, and JSON, although it be cut. */
export function redactedText(text: string): string {
  return redactedValue(text.includes('"') ? withoutMembers(text) : text)
}

const memberStart = /"((?:[^"\\]|\\.){1,200})"\s*:\s*/g
const scalar = /"(?:[^"\\]|\\[\s\S])*"?|[^\s,}\]"]+/y

/** For text that is no JSON as a whole: behind a name that opens a list or an object the end of it is unknown, and nothing is shown. */
function withoutMembers(text: string): string {
  let clean = ''
  let upTo = 0
  for (const { 0: start, 1: name = '', index } of text.matchAll(memberStart)) {
    if (index < upTo || !isCredentialMember(name)) continue
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

function isCredentialMember(written: string): boolean {
  if (!written.includes('\\')) return isCredential(written)
  try {
    return isCredential(String(JSON.parse(`"${written}"`)))
  } catch {
    return true
  }
}
