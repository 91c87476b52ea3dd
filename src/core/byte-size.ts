const units = { b: 1, kb: 2 ** 10, mb: 2 ** 20 }

/** Bytes of `500kb` or `1mb`, a number alone is bytes; undefined for anything else, and for none at all. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = 'b'] = /^(\d{1,9})(b|kb|mb)?$/i.exec(text) ?? []
  const bytes = Number(number) * units[unit.toLowerCase() as keyof typeof units] // the pattern's own words
  return bytes >= 1 ? bytes : undefined
}
