import type { ComponentChildren } from 'preact'
import { hrefOf } from '../store/route.ts'

/** An entry of a list whose open entry is shown beside it. */
interface ListEntry {
  readonly id: string
  readonly title: ComponentChildren
  /** A note behind the title, or beneath it where there is no room. */
  readonly note: ComponentChildren
  readonly tooltip?: string
}

interface EntryListProps {
  readonly entries: readonly ListEntry[]
  readonly openId: string | undefined
  /** The state in the address that belongs to the entry before, and goes: `{ item: undefined }`. */
  readonly query: Readonly<Record<string, undefined>>
}

/** A list of links to entries. */
export function EntryList({ entries, openId, query }: EntryListProps) {
  return (
    <ul class="entries menu">
      {entries.map(({ id, title, note, tooltip }) => (
        <li key={id}>
          <a
            class="wraps"
            href={hrefOf({ id, query })}
            aria-current={id === openId ? 'true' : undefined}
            title={tooltip}
          >
            {title} <span class="faint small">{note}</span>
          </a>
        </li>
      ))}
    </ul>
  )
}
