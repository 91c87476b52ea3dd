/** Escapes control characters, which a terminal carries out, in a text from outside: `\u001b[2J`. */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
