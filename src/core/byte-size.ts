const UNIT_BYTES = { b: 1, kb: 2 ** 10, mb: 2 ** 20 }

/**
 * Parses a size: `500kb`, `1mb`, or a number of bytes, `512`. Units are powers of 1024, in either case of letters.
 * @returns bytes, at least 1; undefined for any other text, `0` included
 */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,9})(b|kb|mb)?$/i.exec(text) ?? []
  const bytes = Number(number) * UNIT_BYTES[unit.toLowerCase() as keyof typeof UNIT_BYTES] // proved by the pattern
  return bytes >= 1 ? bytes : undefined
}
