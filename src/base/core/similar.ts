/** Returns a candidate that differs from `name` only in case, separators or one letter, or undefined. */
export function findSimilar(name: string, candidates: Iterable<string>): string | undefined {
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > MAX_SEPARATORS) continue
    if (simplify(candidate) === simplify(name) || isOneLetterAway(candidate, name)) return candidate
  }
  return undefined
}

/** The maximum difference in length due to separators: `external_conversation_id` has two. */
const MAX_SEPARATORS = 3

const simplify = (name: string) => name.replace(/[_-]/g, '').toLowerCase()

/** Returns true if two names differ by one inserted, deleted, changed or swapped letter; false for short names. */
function isOneLetterAway(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const isSameAfter = (skipped: number, skippedOfOther: number) =>
    one.slice(start + skipped) === other.slice(start + skippedOfOther)
  const isSwapped = one[start] === other[start + 1] && one[start + 1] === other[start]
  return isSameAfter(0, 1) || isSameAfter(1, 0) || isSameAfter(1, 1) || (isSwapped && isSameAfter(2, 2))
}

/** Returns the most likely candidate for a "Did you mean" hint: a similar name, or one that starts with `name`. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const written = simplify(name)
  const all = [...candidates].map((candidate) => ({ candidate, simple: simplify(candidate) }))
  const isSimilar = ({ simple }: { simple: string }) => simple === written || isOneLetterAway(simple, written)
  const found = all.find(isSimilar) ?? all.find(({ simple }) => written.length >= 3 && simple.startsWith(written))
  return found?.candidate
}

const MAX_LISTED = 20

/** Returns a message suffix: `Did you mean "slow"? Known: slow, hang.` Beyond 20 names, `elsewhere` replaces it. */
export function describeKnown(name: string, known: readonly string[], elsewhere?: string): string {
  const nearest = findNearest(name, known)
  const guess = nearest === undefined ? '' : `Did you mean "${nearest}"? `
  if (known.length > MAX_LISTED && elsewhere !== undefined) return `${guess}${elsewhere}`
  const others = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ''
  return `${guess}Known: ${known.slice(0, MAX_LISTED).join(', ') || 'none'}${others}.`
}
