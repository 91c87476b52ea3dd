import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useCommands, useListKeys } from '../store/commands.ts'
import { hrefOf, replaceRoute } from '../store/route.ts'
import { SearchField } from './fields.tsx'

interface SearchableListProps {
  /** `event`: the commands are named `Next event`, `Search events`, `Close the event`. */
  readonly noun: string
  readonly ids: readonly string[]
  readonly placeholder: string
  /** Buttons beside the search. */
  readonly tools?: ComponentChildren
  /** What is wrong with the search or the list, if anything; shown in place of the note. */
  readonly problem: string | undefined
  readonly note: ComponentChildren
  /** Is true if the note is read out at each change. */
  readonly isNoteSpoken?: boolean
  /** Is false if one entry is always open. */
  readonly canClose?: boolean
  /** The state in the address that belongs to the entry before, and goes: `{ from: undefined }`. */
  readonly query?: Readonly<Record<string, undefined>>
  readonly children: ComponentChildren
}

/** The searchable list of a view, whose open entry is shown beside it. */
export function SearchableList({ noun, ids, query = {}, tools, problem, note, ...list }: SearchableListProps) {
  const close = { title: `Close the ${noun}`, key: 'Escape', run: () => replaceRoute({ id: undefined }) }
  const field = useRef<HTMLInputElement>(null)
  useListKeys({ noun, ids: () => ids, open: (id) => replaceRoute({ id, query }), field })
  useCommands(list.canClose === false ? [] : [close], [])
  return (
    <section class="split-pane" aria-label={`${noun[0]?.toUpperCase()}${noun.slice(1)}s`}>
      <div class="toolbar bar">
        <SearchField label={`Search ${noun}s`} placeholder={list.placeholder} field={field} />
        {tools}
        <p
          class={`toolbar-note small full ${problem === undefined ? 'faint' : 'bad'}`}
          role={problem === undefined ? (list.isNoteSpoken ? 'status' : undefined) : 'alert'}
        >
          {problem ?? note}
        </p>
      </div>
      {list.children}
    </section>
  )
}

interface OpenPartProps {
  readonly label: string
  /** Is false if nothing is open, so that this part sums up the list. */
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** What is open beside a list; `Enter` moves the focus into it. */
export const OpenPart = ({ label, isOpen = true, children }: OpenPartProps) => (
  <section class="split-side" aria-label={label} tabIndex={-1} data-open={isOpen || undefined}>
    {children}
  </section>
)

/** The title of what is open, with the link that closes it. */
export const OpenHead = ({ noun, children }: { noun: string; children: ComponentChildren }) => (
  <header>
    {children}
    <a class="close" href={hrefOf({ id: undefined })} aria-label={`Close the ${noun}`} title="Close (Esc)">
      ✕
    </a>
  </header>
)
