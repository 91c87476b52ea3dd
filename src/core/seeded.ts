import { createHash } from 'node:crypto'

/** What may name a world: text that fits a header and a command line. */
export function isSeed(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text)
}

/** What a derived value is derived from: seed first, then sandbox, then what is named. */
export type SeedPath = readonly (string | number)[]

/** SHA-256 over the parts; the separator cannot be forged by a part that contains it, since lengths are hashed too. */
function digest(source: SeedPath): Buffer {
  let all = ''
  for (const part of source) {
    const text = String(part)
    all += `${text.length}:${text};`
  }
  return createHash('sha256').update(all).digest()
}

/**
 * A UUID that is always the same for the same source, so that a run can be repeated byte for byte in any order of
 * requests. Shaped as a version 8 UUID (RFC 9562: custom, here SHA-256).
 */
export function deriveUuid(source: SeedPath): string {
  const bytes = digest(source).subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A number in [0, 1) that is always the same for the same source, and spread evenly over sources. */
export function deriveChance(source: SeedPath): number {
  return digest(source).readUIntBE(0, 6) / 2 ** 48
}

/** A whole number in [0, 2^32), for seeding generators. */
export function deriveSeed(source: SeedPath): number {
  return digest(source).readUInt32BE(0)
}
