/** One step from a list of texts to another: a text of both, of the first alone, or of the second alone. */
export interface DiffStep {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The most pairs of texts that are compared. Beyond it, what is between the equal beginning and the equal end counts as replaced. */
const maxPairs = 1_000_000

/** Compares two lists of texts, and returns the fewest steps from the first to the second. */
export function diffTexts(left: readonly string[], right: readonly string[]): readonly DiffStep[] {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  return [
    ...toSteps('same', left.slice(0, start)),
    ...diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...toSteps('same', left.slice(left.length - end)),
  ]
}

const toSteps = (kind: DiffStep['kind'], texts: readonly string[]): DiffStep[] => texts.map((text) => ({ kind, text }))

function diffMiddle(left: readonly string[], right: readonly string[]): DiffStep[] {
  if (left.length * right.length > maxPairs) return [...toSteps('removed', left), ...toSteps('added', right)]
  const lengthAt = measureCommon(left, right)
  const steps: DiffStep[] = []
  let [at, other] = [0, 0]
  while (at < left.length && other < right.length) {
    const [mine, theirs] = [left[at] ?? '', right[other] ?? '']
    if (mine === theirs) {
      steps.push({ kind: 'same', text: mine })
      at++
      other++
    } else if (lengthAt(at + 1, other) >= lengthAt(at, other + 1)) {
      steps.push({ kind: 'removed', text: mine })
      at++
    } else {
      steps.push({ kind: 'added', text: theirs })
      other++
    }
  }
  return [...steps, ...toSteps('removed', left.slice(at)), ...toSteps('added', right.slice(other))]
}

/** Returns a function for the length of the longest common subsequence of what follows a place in each list. */
function measureCommon(left: readonly string[], right: readonly string[]) {
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  for (let at = left.length - 1; at >= 0; at--)
    for (let other = right.length - 1; other >= 0; other--) {
      const here = at * width + other
      lengths[here] =
        left[at] === right[other]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0)
    }
  return (at: number, other: number) => lengths[at * width + other] ?? 0
}
