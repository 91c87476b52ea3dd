/**
 * Bytes as text with one character for each byte. Node writes such text together with the head of a reply, and the
 * journal stores it within V8's heap, where a short buffer takes more than its bytes (see `test/bench/FINDINGS.md`).
 */

export function toLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

export function fromLatin1(latin1: string): Buffer {
  return Buffer.from(latin1, 'latin1')
}

/** Returns the bytes of a text in UTF-8, as text. ASCII has the same bytes in both. */
export function utf8ToLatin1(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

const UNIT_BYTES = { b: 1, kb: 2 ** 10, mb: 2 ** 20 }

/** Parses a size in bytes, at least 1: `500kb`, `1mb` or `512`, by powers of 1024; undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,9})(b|kb|mb)?$/i.exec(text) ?? []
  const bytes = Number(number) * UNIT_BYTES[unit.toLowerCase() as keyof typeof UNIT_BYTES] // proved by the pattern
  return bytes >= 1 ? bytes : undefined
}
