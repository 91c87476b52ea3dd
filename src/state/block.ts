import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Lines without line breaks in them, as few bytes. The quickest level: the lines are so alike that others gain nothing. */
export function packed(lines: readonly string[]): Buffer {
  const made = deflateRawSync(lines.join('\n'), { level: 1 })
  const own = Buffer.allocUnsafeSlow(made.length) // what zlib gives is a part of a larger buffer
  made.copy(own)
  return own
}

/** The lines that were packed; none where nothing was. */
export function unpacked(bytes: Buffer | undefined): string[] {
  return bytes === undefined ? [] : inflateRawSync(bytes).toString('utf8').split('\n')
}
