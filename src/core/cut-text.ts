/**
 * Returns a text that a message quotes, cut to `max` characters. The mark `…` tells the reader that it is cut, and
 * redaction that the last word may be a part of a credential.
 */
export function cutText(text: string, max = 80): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}
