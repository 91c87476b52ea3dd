import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { count } from '../../ui/text.ts'
import { compareVersions, type DiffStep } from './diff.ts'

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
