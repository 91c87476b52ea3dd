import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/call.ts'
import { Button } from '../../ui/controls.tsx'
import { asText, pluralize } from '../../ui/text.tsx'

type Version = Schema<'PromptVersion'>

const contextLines = 3

/** Shows two versions side by side and marks the lines and words that differ. Without `left`, shows only `right`. */
export function Comparison({ left, right }: { left: Version | undefined; right: Version }) {
  const showsAll = useSignal(false)
  const pairs = useMemo(() => compareVersions(left ?? right, right), [left?.versionId, right.versionId])
  const isChanged = (pair: LinePair) => pair[0] !== pair[1]
  const changeCount = pairs.filter(isChanged).length
  const isNear = (at: number) => pairs.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(isChanged)
  const visible = left && !showsAll.value ? pairs.filter((_, at) => isNear(at)) : pairs
  return (
    <>
      {left && (
        <p class="facts" role="status">
          {changeCount === 0 ? 'No lines changed.' : `${changeCount} of ${pluralize(pairs.length, 'line')} changed.`}
          {changeCount > 0 && (
            <Button
              label={showsAll.value ? 'Hide unchanged lines' : 'Show all lines'}
              class="link"
              onClick={() => (showsAll.value = !showsAll.value)}
            />
          )}
        </p>
      )}
      <table class="diff">
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
          {visible.map((pair, index) => (
            <LineRow key={index} pair={pair} isSingle={!left} />
          ))}
        </tbody>
      </table>
    </>
  )
}

function LineRow({ pair: [left, right], isSingle }: { pair: LinePair; isSingle: boolean }) {
  const isSame = left === right
  const steps = diffTexts(splitWords(left ?? right ?? ''), splitWords(right ?? left ?? ''))
  return (
    <tr class={isSame ? 'same' : undefined}>
      {!isSingle && <Side line={left} steps={steps} kind={isSame ? 'same' : 'removed'} />}
      <Side line={right} steps={steps} kind={isSame ? 'same' : 'added'} />
    </tr>
  )
}

const looks = {
  same: { sign: ' ', line: 'same', Changed: 'ins', tone: '' },
  removed: { sign: '−', line: 'removed violation', Changed: 'del', tone: 'bad' },
  added: { sign: '+', line: 'added', Changed: 'ins', tone: 'good' },
} as const

function Side({ line, steps, kind }: { line: string | undefined; steps: readonly DiffStep[]; kind: DiffStep['kind'] }) {
  const look = looks[kind]
  if (line === undefined) return <td class="none" />
  return (
    <td class={look.line}>
      <span class="sign">{look.sign}</span>
      {steps
        .filter((step) => step.kind === 'same' || step.kind === kind)
        .map((step, index) => {
          const word = step.text.startsWith('{{') ? <var key={index}>{step.text}</var> : step.text
          if (step.kind === 'same') return word
          return (
            <look.Changed key={index} class={look.tone}>
              {word}
            </look.Changed>
          )
        })}
    </td>
  )
}

/** A pair of corresponding lines, one from each version. A side is undefined if its version has no such line. */
type LinePair = readonly [left: string | undefined, right: string | undefined]

interface DiffStep {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The maximum number of item comparisons. Beyond it, a simpler method is used, which may find too many changes. */
const maxComparisons = 1_000_000

/** The fields added by the simulator, and the components, which are listed separately. */
const excludedFields = ['versionId', 'version', 'fingerprint', 'active', 'createdAt', 'variables', 'components']

/** Lists the lines of a version: its fields, then each component's content, headed by the component's other fields. */
function listLines(version: Version): string[] {
  const fields = Object.entries(version).filter(([name]) => !excludedFields.includes(name))
  const components = version.components.flatMap(({ componentId: _, content, ...others }) => [
    ['— Component', ...Object.entries(others).map(formatField)].join(' · '),
    ...asText(content).split('\n'),
  ])
  return [...fields.map(formatField), ...components]
}

const formatField = ([name, value]: [string, unknown]) => `${name}: ${asText(value)}`

function compareVersions(left: Version, right: Version): readonly LinePair[] {
  const pairs: LinePair[] = []
  let start = 0
  for (const { kind, text } of diffTexts(listLines(left), listLines(right))) {
    if (kind === 'removed') pairs.push([text, undefined])
    else if (kind === 'same') start = pairs.push([text, text])
    else {
      // Pairs an added line with the removed line that it replaces, if any.
      const replaced = pairs.findIndex((pair, at) => at >= start && pair[1] === undefined)
      pairs.splice(replaced < 0 ? pairs.length : replaced, 1, [pairs[replaced]?.[0], text])
    }
  }
  return pairs
}

const splitWords = (text: string) => text.match(/\{\{[^{}]*\}\}|[\p{L}\p{N}_]+|\s+|./gu) ?? []

/** Returns steps that turn `left` into `right`, with the fewest possible changes unless there are too many items. */
function diffTexts(left: readonly string[], right: readonly string[]): readonly DiffStep[] {
  const lengthAt = measureSubsequences(left, right)
  const findKind = (at: number, other: number): DiffStep['kind'] => {
    if (left[at] === right[other]) return 'same'
    if (at === left.length) return 'added'
    return other === right.length || lengthAt(at + 1, other) >= lengthAt(at, other + 1) ? 'removed' : 'added'
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

/**
 * Returns a function that takes a position in each list and returns the length of the longest common subsequence of
 * the items from those positions on. If there are too many items to compare, the function always returns 0.
 */
function measureSubsequences(left: readonly string[], right: readonly string[]) {
  const width = right.length + 1
  if (left.length * right.length > maxComparisons) return () => 0
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
