import { hash } from 'node:crypto'

/** Returns true for a text that can be a seed: 1 to 64 visible ASCII characters, which fit a header. */
export function isSeed(text: string): boolean {
  return /^[\x21-\x7e]{1,64}$/.test(text)
}

/** The path from which a value is derived: the seed, then the sandbox, then names and numbers of the value itself. */
export type SeedPath = readonly (string | number)[]

/** Returns the SHA-256 of a path, in which the lengths of the parts tell `['a;b']` from `['a', 'b']`. */
function hashPath(path: SeedPath): Buffer {
  let all = ''
  for (const part of path) {
    const text = String(part)
    all += `${text.length}:${text};`
  }
  return hash('sha256', all, 'buffer')
}

/** Returns the UUID of a path, by SHA-256. Its bits say version 4, since many validators refuse version 8. */
export function deriveUuid(path: SeedPath): string {
  const bytes = hashPath(path).subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Returns a number in [0, 1): equal for equal paths, uniformly distributed over different paths. */
export function deriveChance(path: SeedPath): number {
  return hashPath(path).readUIntBE(0, 6) / 2 ** 48
}

/** Returns an integer in [0, 2^32) for the seed of a generator: equal for equal paths. */
export function deriveSeed(path: SeedPath): number {
  return hashPath(path).readUInt32BE(0)
}
