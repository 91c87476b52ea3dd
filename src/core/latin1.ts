/**
 * Bytes as text with one character for each byte. Node writes such text together with the head of a reply, and the
 * journal stores it within V8's heap, where a short buffer takes more than its bytes (see `test/bench/FINDINGS.md`).
 */

/** Returns the bytes as text. */
export function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

/** Returns the bytes of such a text. */
export function fromLatin1(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1')
}

/** Returns the bytes of a text in UTF-8, as text. ASCII has the same bytes in both. */
export function utf8ToLatin1(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}
