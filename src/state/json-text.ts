const INDENT = '        '

/** Yields lines of JSON as the items of a list, each on a line of its own. */
export function* joinLines(lines: Iterable<string>): Generator<string> {
  let separator = `\n${INDENT}`
  for (const line of lines) {
    yield separator + line
    separator = `,\n${INDENT}`
  }
}

/** Returns the JSON of an object without its braces, so that more members can be added. */
export function serializeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1)
}
