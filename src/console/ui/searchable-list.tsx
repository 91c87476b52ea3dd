import type { ComponentChildren } from 'preact'
import { type KeyedList, useListKeys } from '../store/commands.ts'
import { hrefOf } from '../store/route.ts'
import { SearchField } from './controls.tsx'

interface SearchableListProps extends Pick<KeyedList, 'noun' | 'ids' | 'query' | 'canClose'> {
  readonly placeholder: string
  readonly tools?: ComponentChildren
  /** A line above the search. */
  readonly summary?: ComponentChildren
  /** The problem with the search or the list, if any; shown instead of the note. */
  readonly problem?: string | undefined
  readonly note: ComponentChildren
  /** True if the note is announced at each change. */
  readonly isNoteSpoken?: boolean
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
          role={problem === undefined ? (list.isNoteSpoken ? 'status' : undefined) : 'alert'}
        >
          {problem ?? list.note}
        </p>
      </div>
      {list.children}
    </section>
  )
}

interface OpenPartProps {
  readonly label: string
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** The panel beside a list; `Enter` moves the focus into it. If nothing is open, it summarizes the list. */
export const OpenPart = ({ label, isOpen = true, children }: OpenPartProps) => (
  <section class="split-side" aria-label={label} tabIndex={-1} data-open={isOpen || undefined}>
    {children}
  </section>
)

export const OpenHead = ({ noun, children }: { noun: string; children: ComponentChildren }) => (
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
  /** A note after the title, or below it if there is no room. */
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
