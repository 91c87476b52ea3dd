/** Returns the candidate that differs by capitals, separators or one letter from a mistyped name, or undefined. */
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

/** Returns true if one inserted, missing, changed or swapped letter is the only difference, except in short names. */
function isOneLetterAway(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  const isSameAfter = (skipped: number, skippedOfOther: number) =>
    one.slice(start + skipped) === other.slice(start + skippedOfOther)
  const isSwapped = one[start] === other[start + 1] && one[start + 1] === other[start]
  return isSameAfter(0, 1) || isSameAfter(1, 0) || isSameAfter(1, 1) || (isSwapped && isSameAfter(2, 2))
}

/** The largest number of letters by which a name that is written in haste differs from the name that is meant. */
const MAX_DISTANCE = 3

/**
 * Returns the candidate nearest to a name that does not exist, or undefined if none is near: one that begins with the
 * name, or is within three edits and a third of the longer name. This is a guess for messages; `findSimilar` decides.
 */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const written = simplify(name)
  let nearest: string | undefined
  let least = MAX_DISTANCE + 1
  for (const candidate of candidates) {
    const distance = measureDistance(written, simplify(candidate))
    if (distance >= least) continue
    least = distance
    nearest = candidate
  }
  return nearest
}

function measureDistance(name: string, candidate: string): number {
  const longest = Math.max(name.length, candidate.length)
  if (name.length >= 3 && candidate.startsWith(name)) return Math.min(2, candidate.length - name.length)
  if (Math.abs(name.length - candidate.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY
  if (isOneLetterAway(name, candidate)) return Number(name !== candidate)
  const distance = countEdits(name, candidate)
  return distance <= longest / 3 ? distance : Number.POSITIVE_INFINITY
}

/** Counts the letters to insert, delete or change to make one text of the other (Levenshtein). */
function countEdits(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1]
    for (let column = 0; column < other.length; column += 1) {
      const changed = (previous[column] ?? 0) + (letter === other[column] ? 0 : 1)
      current.push(Math.min(changed, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}

const MAX_LISTED = 20

/**
 * Returns the end of a message about an unknown name: `Did you mean "slow"? Known: slow, hang.` Of more than 20 known
 * names the first are listed, or `elsewhere` says where all are: `GET /__sim/catalogue lists all.`
 */
export function describeKnown(name: string, known: readonly string[], elsewhere?: string): string {
  const nearest = findNearest(name, known)
  const guess = nearest === undefined ? '' : `Did you mean "${nearest}"? `
  if (known.length > MAX_LISTED && elsewhere !== undefined) return `${guess}${elsewhere}`
  const others = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ''
  return `${guess}Known: ${known.slice(0, MAX_LISTED).join(', ') || 'none'}${others}.`
}
