/** Returns the candidate that a mistyped name probably means: other capitals or separators, or one letter away; undefined: none is that near. */
export function findSimilar(name: string, candidates: Iterable<string>): string | undefined {
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > MAX_SEPARATORS) continue
    if (simplify(candidate) === simplify(name) || isOneLetterAway(candidate, name)) return candidate
  }
  return undefined
}

/** The largest difference in length that separators can make: `external_conversation_id` has two more characters. */
const MAX_SEPARATORS = 3

const simplify = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** Returns true if one inserted, missing, changed or swapped letter is the only difference. Of short names every one would be similar. */
function isOneLetterAway(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length < 3 || long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  const rest = (text: string, from: number) => text.slice(start + from)
  if (long.length > short.length) return rest(long, 1) === rest(short, 0)
  const isSwapped = short[start] === long[start + 1] && short[start + 1] === long[start]
  return rest(long, 1) === rest(short, 1) || (isSwapped && rest(long, 2) === rest(short, 2))
}
