import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { count } from '../../ui/text.ts'
import { compareVersions, type DiffStep, type LinePair } from './diff.ts'

/** The most lines that are drawn. */
const maxLines = 2_000

/** The equal lines that are shown before and after a change. */
const contextLines = 3

/** Properties of `Comparison`. */
export interface ComparisonProps {
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
          {shown.slice(0, maxLines).map((pair, index) => (
            <Row key={index} pair={pair} isSingle={!left} />
          ))}
        </tbody>
      </table>
      {shown.length > maxLines && <p class="faint">{count(shown.length - maxLines, 'more line')}</p>}
    </>
  )
}

function Row({ pair: { isSame, left, right }, isSingle }: { readonly pair: LinePair; readonly isSingle: boolean }) {
  return (
    <tr class={isSame ? 'same' : undefined}>
      {!isSingle && <Side words={left} kind={isSame ? 'same' : 'removed'} />}
      <Side words={right} kind={isSame ? 'same' : 'added'} />
    </tr>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const

function Side({ words, kind }: { words: readonly DiffStep[] | undefined; kind: DiffStep['kind'] }) {
  if (!words) return <td class="none" />
  const Changed = kind === 'removed' ? 'del' : 'ins'
  return (
    <td class={kind}>
      <span class="sign">{signs[kind]}</span>
      {words.map((step, index) => {
        const word = step.text.startsWith('{{') ? <var key={index}>{step.text}</var> : step.text
        return step.kind === 'same' ? word : <Changed key={index}>{word}</Changed>
      })}
    </td>
  )
}
