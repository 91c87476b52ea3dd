/**
 * Truncates a text that a message quotes to `max` characters. The `…` tells readers that it is truncated, and tells
 * redaction that the last word may be part of a credential.
 */
export function cutText(text: string, max = 80): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

/** Adds a full stop unless the text already ends with punctuation: `Did you mean "slow"?` is unchanged. */
export function endSentence(text: string): string {
  return /[.?!]\)?$/.test(text) ? text : `${text}.`
}

/** Escapes control characters in untrusted text, since a terminal would interpret them: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, escapeCharacter)
}

/** Escapes everything except printable ASCII. In JSON, the escapes stand for the same characters. */
export function escapeNonAscii(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? text.replace(/[^\x20-\x7e]/g, escapeCharacter) : text
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
