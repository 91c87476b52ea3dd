import { joinPointer } from '../core/json-pointer.ts'
import { memoizeLast } from '../core/memoize-last.ts'

/** The text that replaces a credential. */
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

/** Redacts the request's own token, also where it is escaped or a message cuts it. */
export function redactToken(text: string, token: string | undefined): string {
  if (token === undefined) return text
  let clean = text.includes(token) ? text.replaceAll(token, redacted) : text
  if (clean.includes('%')) clean = clean.replaceAll(encodeURIComponent(token.toWellFormed()), redacted)
  if (clean.includes('\\')) {
    // Twice: a header quotes a violation, which quotes the token.
    const escaped = escapeJson(token)
    clean = clean.replaceAll(escapeJson(escaped), redacted).replaceAll(escaped, redacted)
  }
  // In a JSON pointer, which has the names of members and parameters.
  const inPointer = joinPointer('', token).slice(1)
  if (inPointer !== token && clean.includes('~')) clean = clean.replaceAll(inPointer, redacted)
  if (!cutMark.test(clean)) return clean
  const withoutPointer = inPointer === token ? clean : redactCutParts(clean, (part) => inPointer.includes(part))
  return redactCutParts(withoutPointer, (part) => token.includes(part))
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** The mark with which a message cuts quotes: `"sk_live_51…"`, escaped in a header, or V8's `..."sk_live_51"...`. */
const cutMark = /(\u2026|\\{1,3}u2026|(?:\\{0,3}")?\.\.\.(?:\\{0,3}")?)/

/** The fewest characters of a token beside such a mark that are redacted, and the most that a message quotes. */
const minCutLength = 4
const maxCutLength = 300

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
