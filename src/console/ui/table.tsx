import type { ComponentChildren } from 'preact'

interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  readonly class?: string
}

interface DataTableProps<Row> {
  readonly title: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

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
