import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { count } from '../../ui/text.ts'
import { compareVersions, type DiffLine, foldEqualLines, isPlaceholder, type LinePair } from './compare.ts'

/** The most lines that are drawn. */
const maxLines = 2_000

/** Properties of `Comparison`. */
export interface ComparisonProps {
  /** Undefined: `right` is shown alone. */
  readonly left: Schema<'PromptVersion'> | undefined
  readonly right: Schema<'PromptVersion'>
}

/** Two versions side by side, with their difference by line and word; or one version. */
export function Comparison({ left, right }: ComparisonProps) {
  const showsAll = useSignal(false)
  const pairs = useMemo(() => compareVersions(left ?? right, right), [left?.versionId, right.versionId])
  const isFolded = left !== undefined && !showsAll.value
  const rows = useMemo(() => (isFolded ? foldEqualLines(pairs) : pairs), [pairs, isFolded])
  const changed = pairs.filter(({ isSame }) => !isSame).length
  return (
    <>
      {left && (
        <p class="difference" role="status">
          {changed === 0 ? 'There is no difference.' : `${count(changed, 'line')} of ${pairs.length} differ.`}
          {(showsAll.value || rows.some((row) => 'skipped' in row)) && (
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
          {rows.slice(0, maxLines).map((row, index) =>
            'skipped' in row ? (
              <tr key={index} class="skipped">
                <td colSpan={2}>{count(row.skipped, 'equal line')}</td>
              </tr>
            ) : (
              <Row key={index} pair={row} isSingle={!left} />
            ),
          )}
        </tbody>
      </table>
      {rows.length > maxLines && <p class="faint">{count(rows.length - maxLines, 'more line')}</p>}
    </>
  )
}

interface RowProps {
  readonly pair: LinePair
  readonly isSingle: boolean
}

function Row({ pair: { isSame, left, right }, isSingle }: RowProps) {
  return (
    <tr class={isSame ? 'same' : undefined}>
      {!isSingle && <Side line={left} kind={isSame ? 'same' : 'removed'} />}
      <Side line={right} kind={isSame ? 'same' : 'added'} />
    </tr>
  )
}

interface SideProps {
  readonly line: DiffLine | undefined
  readonly kind: 'same' | 'removed' | 'added'
}

const signs = { same: ' ', removed: '−', added: '+' } as const

function Side({ line, kind }: SideProps) {
  if (!line) return <td class="none" />
  const Changed = kind === 'removed' ? 'del' : 'ins'
  return (
    <td class={line.isHead ? `${kind} head` : kind}>
      <span class="sign">{signs[kind]}</span>
      {line.words.map(({ text, isChanged }, index) => {
        const word = isPlaceholder(text) ? <var key={index}>{text}</var> : text
        return isChanged ? <Changed key={index}>{word}</Changed> : word
      })}
    </td>
  )
}
