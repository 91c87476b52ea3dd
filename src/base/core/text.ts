/**
 * Truncates text to `max` characters, for a message that quotes it. The `…` tells readers that the text is truncated,
 * and tells redaction that the last word may be part of a credential.
 */
export function cutText(text: string, max = 80): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

/** Adds a period unless the text already ends with punctuation: `Did you mean "slow"?` is unchanged. */
export function endSentence(text: string): string {
  return /[.?!]\)?$/.test(text) ? text : `${text}.`
}

/** Escapes control characters in untrusted text, since a terminal would interpret them: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, escapeCharacter)
}

/** Escapes everything except printable ASCII. In JSON, the escapes represent the same characters. */
export function escapeNonAscii(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? text.replace(/[^\x20-\x7e]/g, escapeCharacter) : text
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Converts bytes to Latin-1 text, one character per byte. Node writes such text together with the head of a response.
 * In the journal, short text takes less memory than a short buffer (see `test/bench/FINDINGS.md`).
 */
export function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

export function fromLatin1(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1')
}

/** Returns the UTF-8 bytes of text as Latin-1 text. ASCII text is unchanged. */
export function utf8ToLatin1(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

const UNIT_BYTES = { b: 1, kb: 2 ** 10, mb: 2 ** 20 }

/** Parses a size in bytes (`512`) or binary units (`500kb`, `1mb`). Returns bytes; undefined for 0 or invalid text. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,9})(b|kb|mb)?$/i.exec(text) ?? []
  const bytes = Number(number) * UNIT_BYTES[unit.toLowerCase() as keyof typeof UNIT_BYTES] // guaranteed by the pattern
  return bytes >= 1 ? bytes : undefined
}

/** Returns the first candidate, if any, that differs from `name` only in case, separators, one letter or one swap. */
export function findSimilar(name: string, candidates: Iterable<string>): string | undefined {
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > MAX_SEPARATORS) continue
    if (simplify(candidate) === simplify(name) || isOneLetterAway(candidate, name)) return candidate
  }
  return undefined
}

/** The maximum difference in length between similar names. Even `external_conversation_id` has only two separators. */
const MAX_SEPARATORS = 3

const simplify = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** Returns true if the names are equal or differ by one insertion, deletion, change or swap; false for short names. */
function isOneLetterAway(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const isSameAfter = (skipped: number, skippedOfOther: number) =>
    one.slice(start + skipped) === other.slice(start + skippedOfOther)
  const isSwapped = one[start] === other[start + 1] && one[start + 1] === other[start]
  return isSameAfter(0, 1) || isSameAfter(1, 0) || isSameAfter(1, 1) || (isSwapped && isSameAfter(2, 2))
}

/** Returns the most likely candidate, if any, for "Did you mean": a similar name, or one that starts with `name`. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const target = simplify(name)
  const all = [...candidates].map((candidate) => ({ candidate, simple: simplify(candidate) }))
  const isSimilar = ({ simple }: { simple: string }) => simple === target || isOneLetterAway(simple, target)
  const found = all.find(isSimilar) ?? all.find(({ simple }) => target.length >= 3 && simple.startsWith(target))
  return found?.candidate
}

/** Joins words with commas and "and": `a, b and c`. */
export const joinWords = (words: readonly string[]) => new Intl.ListFormat('en-GB').format(words)

const MAX_LISTED = 20

/** Returns a hint: `Did you mean "slow"? Known: slow, hang.` A long list is cut, or replaced by `elsewhere`. */
export function describeKnown(name: string, known: readonly string[], elsewhere?: string): string {
  const nearest = findNearest(name, known)
  const guess = nearest === undefined ? '' : `Did you mean "${nearest}"? `
  if (known.length > MAX_LISTED && elsewhere !== undefined) return `${guess}${elsewhere}`
  const others = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ''
  return `${guess}Known: ${known.slice(0, MAX_LISTED).join(', ') || 'none'}${others}.`
}
