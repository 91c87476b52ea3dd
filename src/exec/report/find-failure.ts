/** The beginnings of what test runners print about a failed assertion, the surest first. */
const signs = [
  /^ *not ok|AssertionError|ExpectationError|^E {2}|panic:/,
  /\u2716|\u25cf|--- FAIL|^ *FAIL/,
  /\b[A-Z]\w*Error\b|expected/i,
]

/**
 * Returns the index from which the output of a test runner tells the assertion that failed, with the name of its test
 * above it, if any. The last lines of many runners are counts.
 */
export function findFailure(lines: readonly string[]): number | undefined {
  const found = signs.map((sign) => lines.findIndex((line) => sign.test(line))).find((index) => index >= 0)
  return found === undefined ? undefined : Math.max(0, found - 2)
}
