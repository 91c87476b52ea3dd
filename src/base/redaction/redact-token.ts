import type { Json } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { memoizeLast } from '../core/memoize.ts'
import { escapeNonAscii, fromLatin1, utf8ToLatin1 } from '../core/text.ts'

export const redacted = '[redacted]'

/** The minimum length of a token that is redacted everywhere; a shorter token could also occur in unrelated words. */
export const minTokenLength = 8

/** Matches the sandbox suffix of a bearer token: `~worker-3`. */
export const sandboxSuffix = /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/

/** Returns the request's token without the sandbox suffix; undefined if the token is absent or too short to redact. */
export const findOwnToken = memoizeLast(({ authorization }: Readonly<Record<string, string>>): string | undefined => {
  if (authorization === undefined) return undefined
  const value = authorization.trim()
  const token = value.slice(value.indexOf(' ') + 1).trim()
  const own = token.includes('~') ? token.replace(sandboxSuffix, '') : token
  return own.length >= minTokenLength ? own : undefined
})

export function redactToken(text: string, token: string | undefined): string {
  if (token === undefined) return text
  const forms = listTokenForms(token)
  let clean = text
  for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, redacted)
  // Skips very long escaped forms, since every form is searched for parts of the text.
  const cutForms = forms.filter((form) => form === token || form.length <= maxCutForm)
  return redactCutParts(clean, (part) => cutForms.some((form) => form.includes(part)))
}

/** Lists the forms that a token has in text: raw, or escaped for a URL, JSON, a JSON Pointer or a header. */
const listTokenForms = memoizeLast((token: string): readonly string[] => {
  const forms = [token, decodeHeader(token)].flatMap((text) => {
    const escaped = escapeJson(text)
    // Also escaped twice, since a header can quote a violation that quotes the token.
    const quoted = [escapeJson(escaped), escaped, joinPointer('', text).slice(1)]
    return [encodeURIComponent(text.toWellFormed()), ...quoted, ...quoted.map(escapeNonAscii), text]
  })
  return [...new Set(forms)].sort((one, other) => other.length - one.length) // longest first
})

/** Decodes a header that was sent as UTF-8, since Node decodes headers as Latin-1. */
function decodeHeader(value: string): string {
  const decoded = fromLatin1(value).toString()
  return utf8ToLatin1(decoded) === value ? decoded : value
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** Matches the end of a truncated quote, even if escaped for a header: `"sk_live_51…"`, or V8's `..."sk_l"...`. */
const cutMark = /(\u2026|\\{1,3}u2026|(?:\\{0,3}")?\.\.\.(?:\\{0,3}")?)/

/** The minimum number of token characters to redact next to an ellipsis, and the maximum that a message quotes. */
const minCutLength = 4
const maxCutLength = 300
const maxCutForm = 4096 // the maximum length of an escaped form that is searched for parts of the text

/** Redacts the parts of tokens that are left in truncated quotes. `isPart` tests for a substring of a token. */
function redactCutParts(text: string, isPart: (text: string) => boolean): string {
  if (!cutMark.test(text)) return text
  // Pieces at even indexes are text; pieces at odd indexes are the ellipses in between.
  const pieces = text.split(cutMark)
  return pieces
    .map((piece, at) => {
      if (at % 2 === 1) return piece
      const end = at < pieces.length - 1 ? countShared(piece, (count) => isPart(piece.slice(-count))) : 0
      const rest = piece.slice(0, piece.length - end)
      const start = at > 0 ? countShared(rest, (count) => isPart(rest.slice(0, count))) : 0
      return `${start > 0 ? redacted : ''}${rest.slice(start)}${end > 0 ? redacted : ''}`
    })
    .join('')
}

/** Returns how many characters at one end of a piece are part of a token, or 0 if fewer than `minCutLength`. */
function countShared(piece: string, isShared: (count: number) => boolean): number {
  const most = Math.min(piece.length, maxCutLength)
  let count = minCutLength - 1
  while (count < most && isShared(count + 1)) count += 1
  return count < minCutLength ? 0 : count
}

/** Matches a PEM or PGP private key, even if URL-encoded, up to its end marker or the end of the text. */
const privateKey =
  /-{4,5} ?BEGIN[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}[\s\S]*?(-{4,5} ?END[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}|$)/g

export function redactPrivateKeys(text: string): string {
  return text.replace(privateKey, redacted)
}

/** Returns a function that redacts private keys, even if they span items: call it with each item of a list in order. */
export function createLineRedaction(): (text: string) => string {
  let isOpen = false
  return (text) =>
    (isOpen ? `-----BEGIN PRIVATE KEY-----${text}` : text).replace(privateKey, (_, end: string) => {
      isOpen = end === ''
      return redacted
    })
}

/** Names that match a pattern below, but are not credentials. */
const harmlessNames = new Set(['idempotency-key', 'x-idempotency-key'])

/** Matches names of credentials. `auth` matches; `author` does not, but `authorization` does, in both spellings. */
const credentialName =
  /auth(?!or(?!i[sz]))|bearer|cookie|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature/i

/** Matches names in which `key` follows a word that makes it a credential. */
const keyName = /(?:api|access|account|secret|private|master|encryption|subscription|functions|signing)[-_ .+]?key/i

const twoWords =
  /amz-security|conn(?:ection)?[-_ .+]?str(?:ing|$)|one[-_ .+]?time[-_ .+]?code|(?:^|[-_ .+[])code[-_ .+]?verifier/i

/** Matches names that end with a short credential word, as in `login[pass]`. No ordinary word ends with `otp`. */
const lastWord = /(?:^|[-_ .+])(?:key|pass|sig)$|\[pass\]$|otp(?:[-_ .+]?(?:code|number))?\d*\]?$/i

/** Matches names for a PIN: `userPin`, `PIN_CODE`, `pin1`, but not `spin` or the postal `pincode`. */
const pinName =
  /(?:^|[-_ .+[]|[a-z\d](?=P))(?:[Pp]in|PIN)(?:[-_ .+]?(?:Code|CODE|Number)|[-_ .+](?:code|number))?\d*\]?$/

/** Matches names of other pins: `mapPin`. */
const harmlessPin = /(?:map|drop|hair)[-_ .+[]?pin/i

/** Matches names for a language model's token counts: `maxTokens`, `token_count`. */
const countName = /tokens$|tokens?[-_]?count$/i

/** Returns true if headers, parameters and members with this name are redacted. Header names are in lower case. */
export function isCredentialName(name: string): boolean {
  const isCredential =
    credentialName.test(name) ||
    keyName.test(name) ||
    twoWords.test(name) ||
    lastWord.test(name) ||
    (pinName.test(name) && !harmlessPin.test(name))
  return isCredential && !harmlessNames.has(name)
}

/** Returns true if a member's value is redacted because of the member's name. Never true for null or a token count. */
export function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredentialName(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}
