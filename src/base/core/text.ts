/**
 * Returns a text that a message quotes, cut to `max` characters. The mark `…` tells the reader that it is cut, and
 * redaction that the last word may be a part of a credential.
 */
export function cutText(text: string, max = 80): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

/** Returns a text with a full stop, unless a mark ends its sentence already: `Did you mean "slow"?` stays. */
export function endSentence(text: string): string {
  return /[.?!]\)?$/.test(text) ? text : `${text}.`
}

/** Escapes control characters, which a terminal carries out, in a text from outside: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, escapeCharacter)
}

/** Escapes everything but visible ASCII. Within JSON the escapes mean the same characters. */
export function escapeNonAscii(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? text.replace(/[^\x20-\x7e]/g, escapeCharacter) : text
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
