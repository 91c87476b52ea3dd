import type { ComponentChildren } from 'preact'
import { hrefOf } from '../store/route.ts'

/** A column of a table. */
interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Is true for numbers, which are set to the right. */
  readonly isNumber?: boolean
  /** A class of the column's cells. */
  readonly class?: string
}

interface DataTableProps<Row> {
  /** The name of the table for those who cannot see it. */
  readonly title: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A table of plain rows, with a head that stays in view. */
export function DataTable<Row>({ title, columns, rows, keyOf }: DataTableProps<Row>) {
  const classOf = ({ isNumber, class: own }: TableColumn<Row>) =>
    [isNumber && 'number', own].filter(Boolean).join(' ') || undefined
  return (
    <table class="data">
      <caption class="hidden">{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.title} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

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
