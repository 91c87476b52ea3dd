import { unescape as percentDecode } from 'node:querystring'
import { isObject, type Json } from '../core/json.ts'
import { memoizeLast } from '../core/memoize-last.ts'
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
    // The question mark tells a query from a text such as `Prefer: code=404`.
    query: query === '' ? '' : redactText(`?${query}`, token).slice(1),
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

/**
 * Redacts `token`, `Bearer x` and `Basic x`, tokens of well-known forms, the user of a URL, and the values of parameters and members by
 * their names: in a URL, a form, cut JSON.
 */
export function redactText(text: string, token?: string): string {
  let clean = redactToken(text, token)
  if (clean.includes('=')) {
    clean = clean.replace(possibleParameter, redactParameter)
    if (hasCode.test(clean)) clean = clean.replace(code, `$1${redacted}`)
  }
  if (clean.includes('@')) clean = clean.replace(userInfo, `://${redacted}@`)
  if (knownForm.test(clean)) clean = clean.replace(knownForms, redacted)
  if (clean.includes('"')) clean = clean.replace(member, redactMember)
  return hasScheme.test(clean) ? clean.replace(scheme, `$1$2${redacted}`) : clean
}

function redactToken(text: string, token: string | undefined): string {
  if (token === undefined) return text
  let clean = text.includes(token) ? text.replaceAll(token, redacted) : text
  if (clean.includes('%')) clean = clean.replaceAll(encodeURIComponent(token), redacted)
  if (clean.includes('\\')) {
    // Twice: a header quotes a violation, which quotes the token.
    const escaped = escapeJson(token)
    clean = clean.replaceAll(escapeJson(escaped), redacted).replaceAll(escaped, redacted)
  }
  return cutMark.test(clean) ? redactCutToken(clean, token) : clean
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** The pattern of a mark with which a message cuts its quotes: `"sk_live_51…"`, escaped in a header, or `..."sk_live_51"...` of V8. */
const cutMark = /(\u2026|\\{1,3}u2026|(?:\\{0,3}")?\.\.\.(?:\\{0,3}")?)/

/** The fewest characters of a token beside such a mark that are redacted, and the most that a message quotes. */
const minCutLength = 4
const maxCutLength = 300

/** Redacts the parts of the token that a message cut. */
function redactCutToken(text: string, token: string): string {
  // At even places are the texts, at odd places the marks between them.
  const pieces = text.split(cutMark)
  return pieces
    .map((piece, at) => {
      if (at % 2 === 1) return piece
      const end = at < pieces.length - 1 ? countShared(piece, token, (count) => piece.slice(-count)) : 0
      const rest = piece.slice(0, piece.length - end)
      const start = at > 0 ? countShared(rest, token, (count) => rest.slice(0, count)) : 0
      return `${start > 0 ? redacted : ''}${rest.slice(start)}${end > 0 ? redacted : ''}`
    })
    .join('')
}

/** Returns the largest number of characters that `part` can take from a piece so that the token contains them; 0 for fewer than `minCutLength`. */
function countShared(piece: string, token: string, part: (count: number) => string): number {
  const most = Math.min(piece.length, token.length, maxCutLength)
  let count = minCutLength - 1
  while (count < most && token.includes(part(count + 1))) count += 1
  return count < minCutLength ? 0 : count
}

/** The pattern of `Bearer x` and `Basic x`; the space may be percent-encoded. A test is eight times as fast as a replacement that finds nothing. */
const hasScheme = /(bearer|basic)[\s%+:]/i
const scheme = /\b(bearer|basic)((?:\s|%20|\+|:)+)[^\s"'<>,;&\\]+/gi

/** The pattern of an OAuth code or a session id in a query or form. Elsewhere `code` is a word for anything: `Prefer: code=404`. */
const code = /([?&]code=|(?:^|[?&;])sid=)[^\s&;#,"'<>]+/gi
const hasCode = new RegExp(code.source, 'i')

/** The pattern of the user and password of a URL: `https://user:password@host`. */
const userInfo = /:\/\/[^\s/?#@"'<>]+@/g

/**
 * The pattern of tokens that are known by their form: of OpenAI, Stripe, GitHub, GitLab, Slack, AWS and Google, and JWTs. It begins
 * at the beginning of a word and passes no other, so that its time is linear.
 */
const knownForms =
  /(?<![\w-])(?:sk-[\w-]{16,}|[prs]k_(?:live|test)_\w{8,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[A-Z\d]{16}|AIza[\w-]{30,}|eyJ[\w-]{5,}\.eyJ[\w-]+(?:\.[\w-]*)?)/g
const knownForm = new RegExp(knownForms.source)

const possibleParameter = /[^\s?#&;,{}<>]+/g

function redactParameter(text: string): string {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  return isCredentialName(name.includes('%') ? percentDecode(name) : name) ? `${name}=${redacted}` : text
}

/** The pattern of a member of JSON whose value is a string, which may be cut, or a number or word. */
const member = /"((?:[^"\\]|\\.){1,200})"(\s*:\s*)("[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[^\s,"[\]{}]+)/g

function redactMember(text: string, name: string, colon: string, value: string): string {
  return isHiddenText(name, value) ? `"${name}"${colon}"${redacted}"` : text
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

/** Returns true where the value of a member is redacted, by its name and its text: not `null`, and not a number of tokens. */
export function isHiddenText(name: string, value: string): boolean {
  const item = value === 'null' ? null : Number.isNaN(Number(value)) ? value : Number(value)
  return isHidden(name, item)
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
