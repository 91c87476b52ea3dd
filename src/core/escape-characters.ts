/** Escapes control characters, which a terminal carries out, in a text from outside: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, escapeCharacter)
}

/** Escapes everything but visible ASCII. Within JSON the escapes mean the same characters. */
export function escapeNonAscii(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? text.replace(/[^\x20-\x7e]/g, escapeCharacter) : text
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
