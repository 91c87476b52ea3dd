import { hash } from 'node:crypto'

/** Returns true for a valid seed: 1 to 64 visible ASCII characters, which can be sent in a header. */
export function isSeed(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text)
}

export type SeedPath = readonly (string | number)[]

/** Encodes a path as a string that includes the lengths of its parts, so that `['a;b']` and `['a', 'b']` differ. */
export function encodePath(path: SeedPath): string {
  let all = ''
  for (const part of path) {
    const text = String(part)
    all += `${text.length}:${text};`
  }
  return all
}

const hashPath = (path: SeedPath): Buffer => hash('sha256', encodePath(path), 'buffer')

/**
 * Derives a UUID from a path. Uses SHA-1, which Redis scripts can also compute. The UUID is marked as version 4, since
 * many validators reject version 8.
 */
export function deriveUuid(path: SeedPath): string {
  const hex = hash('sha1', encodePath(path))
  const variant = (8 + (Number.parseInt(hex.slice(16, 17), 16) % 4)).toString(16)
  const third = `4${hex.slice(13, 16)}`
  return [hex.slice(0, 8), hex.slice(8, 12), third, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-')
}

/** Returns a number in [0, 1) from the first 48 bits of a derived UUID. */
export function chanceOfUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) / 2 ** 48
}

/** Returns a number in [0, 1) that is always the same for a given path, and uniformly distributed across paths. */
export function deriveChance(path: SeedPath): number {
  return hashPath(path).readUIntBE(0, 6) / 2 ** 48
}

export function deriveSeed(path: SeedPath): number {
  return hashPath(path).readUInt32BE(0)
}
