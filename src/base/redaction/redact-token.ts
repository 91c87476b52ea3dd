import { fromLatin1, utf8ToLatin1 } from '../core/bytes.ts'
import type { Json } from '../core/json.ts'
import { joinPointer } from '../core/json-pointer.ts'
import { memoizeLast } from '../core/memoize.ts'
import { escapeNonAscii } from '../core/text.ts'

export const redacted = '[redacted]'

/** The length from which a request's own token is redacted everywhere; a shorter one is part of unrelated words. */
export const minTokenLength = 8

/** The pattern of the sandbox behind a bearer token: `~worker-3`. */
export const sandboxSuffix = /~[A-Za-z0-9][A-Za-z0-9._-]{0,63}\s*$/

/** Returns the request's own token to redact everywhere, without the sandbox `~worker-3`, unless it is too short. */
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
  // Of a very long token the other forms are longer still, and are searched for each piece of the text.
  const cutForms = forms.filter((form) => form === token || form.length <= maxCutForm)
  return redactCutParts(clean, (part) => cutForms.some((form) => form.includes(part)))
}

/** Lists the forms that a token can have in texts: its own, in a URL, JSON, a pointer and a header, longest first. */
const listTokenForms = memoizeLast((token: string): readonly string[] => {
  const forms = [token, decodeHeader(token)].flatMap((text) => {
    const escaped = escapeJson(text)
    // Twice: a header quotes a violation, which quotes the token.
    const quoted = [escapeJson(escaped), escaped, joinPointer('', text).slice(1)]
    return [encodeURIComponent(text.toWellFormed()), ...quoted, ...quoted.map(escapeNonAscii), text]
  })
  return [...new Set(forms)].sort((one, other) => other.length - one.length)
})

/** Decodes a header that was sent in UTF-8. Node reads each byte of a header as a character. */
function decodeHeader(value: string): string {
  const decoded = fromLatin1(value).toString()
  return utf8ToLatin1(decoded) === value ? decoded : value
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** The mark with which a message cuts quotes: `"sk_live_51…"`, escaped in a header, or V8's `..."sk_live_51"...`. */
const cutMark = /(\u2026|\\{1,3}u2026|(?:\\{0,3}")?\.\.\.(?:\\{0,3}")?)/

/** The fewest characters of a token beside such a mark that are redacted, and the most that a message quotes. */
const minCutLength = 4
const maxCutLength = 300
const maxCutForm = 4096

/** Redacts the parts of tokens that a message cut. `isPart`: returns true for a text that a token contains. */
function redactCutParts(text: string, isPart: (text: string) => boolean): string {
  if (!cutMark.test(text)) return text
  // At even places are the texts, at odd places the marks between them.
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

/** Returns the largest number of characters of a piece that a token contains; 0 for fewer than `minCutLength`. */
function countShared(piece: string, isShared: (count: number) => boolean): number {
  const most = Math.min(piece.length, maxCutLength)
  let count = minCutLength - 1
  while (count < most && isShared(count + 1)) count += 1
  return count < minCutLength ? 0 : count
}

/** A private key in PEM or PGP, in any notation: up to the mark of its end, or to the end of the text. */
const privateKey =
  /-{4,5} ?BEGIN[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}[\s\S]*?(-{4,5} ?END[A-Z\d +%]{1,60}PRIVATE[\d +%]{1,3}KEY[A-Z\d +%]{0,10}-{4,5}|$)/g

export function redactPrivateKeys(text: string): string {
  return text.replace(privateKey, redacted)
}

/** Returns the function that redacts the items of a list in turn, as it may have a private key line by line. */
export function createLineRedaction(): (text: string) => string {
  let isOpen = false
  return (text) =>
    (isOpen ? `-----BEGIN PRIVATE KEY-----${text}` : text).replace(privateKey, (_, end: string) => {
      isOpen = end === ''
      return redacted
    })
}

/** Names that the pattern of a credential's name matches, though they are not credentials. */
const harmlessNames = new Set(['idempotency-key', 'x-idempotency-key'])

/** The pattern of a credential's name. `auth` matches, but in `author...` only `authorisation` and `authorization`. */
const credentialName =
  /auth(?!or(?!i[sz]))|bearer|cookie|token|secret|passw|passphrase|passcode|jwt|pwd|credential|session|signature/i

/** The pattern of a name with `key` behind a word that makes it a credential. */
const keyName = /(?:api|access|account|secret|private|master|encryption|subscription|functions|signing)[-_ .+]?key/i

const twoWords =
  /amz-security|conn(?:ection)?[-_ .+]?str(?:ing|$)|one[-_ .+]?time[-_ .+]?code|(?:^|[-_ .+[])code[-_ .+]?verifier/i

/** A name that ends with a short word for a credential, also in brackets: `login[pass]`; `otp` ends no other word. */
const lastWord = /(?:^|[-_ .+])(?:key|pass|sig)$|\[pass\]$|otp(?:[-_ .+]?(?:code|number))?\d*\]?$/i

/** The pattern of a name that ends with a PIN: `userPin`, `PIN_CODE`, `pin1`; not `spin`, nor a postal `pincode`. */
const pinName =
  /(?:^|[-_ .+[]|[a-z\d](?=P))(?:[Pp]in|PIN)(?:[-_ .+]?(?:Code|CODE|Number)|[-_ .+](?:code|number))?\d*\]?$/

/** The pattern of a name of another pin: `mapPin`. */
const harmlessPin = /(?:map|drop|hair)[-_ .+[]?pin/i

/** The pattern of a name that counts tokens of a language model: `maxTokens`, `token_count`. */
const countName = /tokens$|tokens?[-_]?count$/i

/** Returns true for a name (of a header, in lower case, a parameter or a member) whose value is redacted. */
export function isCredentialName(name: string): boolean {
  const isCredential =
    credentialName.test(name) ||
    keyName.test(name) ||
    twoWords.test(name) ||
    lastWord.test(name) ||
    (pinName.test(name) && !harmlessPin.test(name))
  return isCredential && !harmlessNames.has(name)
}

/** Returns true if a member's value is redacted, by its name: not `null`, and not a number of tokens. */
export function isHidden(name: string, item: Json): boolean {
  if (item === null || !isCredentialName(name)) return false
  return typeof item !== 'number' || !countName.test(name)
}
