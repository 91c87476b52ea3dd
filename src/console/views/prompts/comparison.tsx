import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/ask.ts'
import { asText, count } from '../../ui/text.tsx'

/** The equal lines that are shown before and after a change. */
const contextLines = 3

interface ComparisonProps {
  /** Undefined if `right` is shown alone. */
  readonly left: Schema<'PromptVersion'> | undefined
  readonly right: Schema<'PromptVersion'>
}

/** Two versions side by side, with their difference by line and word; or one version. */
export function Comparison({ left, right }: ComparisonProps) {
  const showsAll = useSignal(false)
  const pairs = useMemo(() => compareVersions(left ?? right, right), [left?.versionId, right.versionId])
  const changed = pairs.filter(({ isSame }) => !isSame).length
  const isNear = (at: number) =>
    pairs.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ isSame }) => !isSame)
  const shown = left && !showsAll.value ? pairs.filter((_, at) => isNear(at)) : pairs
  return (
    <>
      {left && (
        <p class="facts" role="status">
          {changed === 0 ? 'There is no difference.' : `${count(changed, 'line')} of ${pairs.length} differ.`}
          {changed > 0 && (
            <button type="button" class="link" onClick={() => (showsAll.value = !showsAll.value)}>
              {showsAll.value ? 'Leave out equal lines' : 'Show all lines'}
            </button>
          )}
        </p>
      )}
      <table class={left ? 'diff' : 'diff single'}>
        <caption class="hidden">
          {left ? `Version ${left.version} and version ${right.version}, line by line` : `Version ${right.version}`}
        </caption>
        <thead>
          <tr>
            {left && <th scope="col">Version {left.version}</th>}
            <th scope="col">Version {right.version}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ isSame, ...pair }, index) => (
            <tr key={index} class={isSame ? 'same' : undefined}>
              {left && <Side words={pair.left} kind={isSame ? 'same' : 'removed'} />}
              <Side words={pair.right} kind={isSame ? 'same' : 'added'} />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const

/** The classes of the lines of a side. */
const classes = { same: 'same', removed: 'removed violation', added: 'added' } as const

function Side({ words, kind }: { words: readonly DiffStep[] | undefined; kind: DiffStep['kind'] }) {
  if (!words) return <td class="none" />
  const Changed = kind === 'removed' ? 'del' : 'ins'
  const tone = kind === 'removed' ? 'bad' : 'good'
  return (
    <td class={classes[kind]}>
      <span class="sign">{signs[kind]}</span>
      {words.map((step, index) => {
        const word = step.text.startsWith('{{') ? <var key={index}>{step.text}</var> : step.text
        if (step.kind === 'same') return word
        return (
          <Changed key={index} class={tone}>
            {word}
          </Changed>
        )
      })}
    </td>
  )
}

/** One step from a list of texts to another: a text of both, of the first alone, or of the second alone. */
interface DiffStep {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** A line of each of two versions, side by side, as words. Undefined if the version has no such line. */
interface LinePair {
  readonly isSame: boolean
  readonly left: readonly DiffStep[] | undefined
  readonly right: readonly DiffStep[] | undefined
}

/** The most pairs of texts that are compared. Beyond it, all texts count as replaced. */
const maxPairs = 1_000_000

/** The fields that the simulator adds to a version, and the components, which have lines of their own. */
const ownFields = ['versionId', 'version', 'fingerprint', 'active', 'createdAt', 'variables', 'components']

/** Returns a version as lines: one for each field, then those of each component under a head with its fields. */
function listLines(version: Schema<'PromptVersion'>): string[] {
  const fields = Object.entries(version).filter(([name]) => !ownFields.includes(name))
  const components = version.components.flatMap(({ componentId: _, content, ...others }) => [
    ['— Component', ...Object.entries(others).map(formatField)].join(' · '),
    ...asText(content).split('\n'),
  ])
  return [...fields.map(formatField), ...components]
}

const formatField = ([name, value]: [string, unknown]) => `${name}: ${asText(value)}`

/** Compares two versions by line, and lines that replace each other by word. */
function compareVersions(left: Schema<'PromptVersion'>, right: Schema<'PromptVersion'>): readonly LinePair[] {
  const pairs: LinePair[] = []
  let removed: string[] = []
  for (const { kind, text } of diffTexts(listLines(left), listLines(right))) {
    if (kind === 'removed') removed.push(text)
    else if (kind === 'added') pairs.push(compareLines(removed.shift(), text))
    else {
      pairs.push(...removed.map((line) => compareLines(line, undefined)))
      removed = []
      pairs.push({ ...compareLines(text, text), isSame: true })
    }
  }
  return [...pairs, ...removed.map((line) => compareLines(line, undefined))]
}

function compareLines(left: string | undefined, right: string | undefined): LinePair {
  const steps = diffTexts(splitWords(left ?? right ?? ''), splitWords(right ?? left ?? ''))
  return {
    isSame: false,
    left: left === undefined ? undefined : steps.filter(({ kind }) => kind !== 'added'),
    right: right === undefined ? undefined : steps.filter(({ kind }) => kind !== 'removed'),
  }
}

/** Splits a line into placeholders, words, spaces and single signs. */
const splitWords = (text: string) => text.match(/\{\{[^{}]*\}\}|[\p{L}\p{N}_]+|\s+|./gu) ?? []

/** Compares two lists of texts, and returns the fewest steps from the first to the second; removals come first. */
function diffTexts(left: readonly string[], right: readonly string[]): readonly DiffStep[] {
  const lengthAt = measureCommon(left, right)
  const findKind = (at: number, other: number): DiffStep['kind'] => {
    if (at === left.length) return 'added'
    if (other === right.length) return 'removed'
    if (left[at] === right[other]) return 'same'
    return lengthAt(at + 1, other) >= lengthAt(at, other + 1) ? 'removed' : 'added'
  }
  const steps: DiffStep[] = []
  let [at, other] = [0, 0]
  while (at < left.length || other < right.length) {
    const kind = findKind(at, other)
    steps.push({ kind, text: (kind === 'added' ? right[other] : left[at]) ?? '' })
    if (kind !== 'added') at++
    if (kind !== 'removed') other++
  }
  return steps
}

/** Returns a function for the length of the longest common subsequence of what follows a place in each list. */
function measureCommon(left: readonly string[], right: readonly string[]) {
  const width = right.length + 1
  if (left.length * right.length > maxPairs) return () => 0
  const lengths = new Uint32Array((left.length + 1) * width)
  const lengthAt = (at: number, other: number) => lengths[at * width + other] ?? 0
  for (let at = left.length - 1; at >= 0; at--)
    for (let other = right.length - 1; other >= 0; other--)
      lengths[at * width + other] =
        left[at] === right[other]
          ? lengthAt(at + 1, other + 1) + 1
          : Math.max(lengthAt(at + 1, other), lengthAt(at, other + 1))
  return lengthAt
}
