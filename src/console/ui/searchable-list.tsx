import type { ComponentChildren } from 'preact'
import { type KeyedList, useListKeys } from '../store/commands.ts'
import { hrefOf } from '../store/route.ts'
import { SearchField } from './controls.tsx'

interface SearchableListProps extends Pick<KeyedList, 'noun' | 'ids' | 'query' | 'canClose'> {
  readonly placeholder: string
  readonly tools?: ComponentChildren
  /** A toolbar above the search field. */
  readonly summary?: ComponentChildren
  /** A problem with the search or the list, shown instead of the note. */
  readonly problem?: string | undefined
  readonly note: ComponentChildren
  /** True if screen readers should announce the note each time it changes. */
  readonly isNoteAnnounced?: boolean
  readonly children: ComponentChildren
}

export function SearchableList({ noun, ids, query = {}, canClose = true, problem, ...list }: SearchableListProps) {
  useListKeys({ noun, ids, query, canClose })
  return (
    <section class="split-pane" aria-label={`${noun[0]?.toUpperCase()}${noun.slice(1)}s`}>
      {list.summary}
      <div class="toolbar bar">
        <SearchField label={`Search ${noun}s`} placeholder={list.placeholder} />
        {list.tools}
        <p
          key={problem}
          class={problem === undefined ? 'small faint' : 'small bad'}
          role={problem === undefined ? (list.isNoteAnnounced ? 'status' : undefined) : 'alert'}
        >
          {problem ?? list.note}
        </p>
      </div>
      {list.children}
    </section>
  )
}

interface DetailPanelProps {
  readonly label: string
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** The panel beside a list. If an entry is open, `Enter` focuses the panel. Otherwise, the panel can show a summary. */
export const DetailPanel = ({ label, isOpen = true, children }: DetailPanelProps) => (
  <section class="split-side" aria-label={label} tabIndex={-1} data-open={isOpen || undefined}>
    {children}
  </section>
)

export const DetailHeader = ({ noun, children }: { noun: string; children: ComponentChildren }) => (
  <header>
    {children}
    <a class="close" href={hrefOf({ id: undefined })} aria-label={`Close the ${noun}`} title="Close (Esc)">
      ✕
    </a>
  </header>
)

interface ListEntry {
  readonly id: string
  readonly title: ComponentChildren
  /** A note after the title. It wraps to the next line if necessary. */
  readonly note: ComponentChildren
  readonly tooltip?: string
}

interface EntryListProps extends Required<Pick<KeyedList, 'query'>> {
  readonly entries: readonly ListEntry[]
  readonly openId: string | undefined
}

export const EntryList = ({ entries, openId, query }: EntryListProps) => (
  <ul class="entries menu">
    {entries.map(({ id, title, note, tooltip }) => (
      <li key={id}>
        <a class="wraps" href={hrefOf({ id, query })} aria-current={id === openId ? 'true' : undefined} title={tooltip}>
          {title} <span class="faint small">{note}</span>
        </a>
      </li>
    ))}
  </ul>
)
