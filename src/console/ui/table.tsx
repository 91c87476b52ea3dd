import type { ComponentChildren } from 'preact'
import type { Schema } from '../api/call.ts'
import { hrefOf } from '../store/route.ts'
import { pluralize, searchTerm, shortId } from './text.tsx'

interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  readonly class?: string
}

interface DataTableProps<Row> {
  readonly title: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

export function DataTable<Row>({ title, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <table class="data">
      <caption class="hidden">{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={column.class}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.title} class={column.class}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A list of names and values, such as headers or keyboard shortcuts. */
export const Pairs = ({ rows }: { readonly rows: readonly (readonly ComponentChildren[])[] }) => (
  <dl class="pairs breaks">
    {rows.map(([name, value], index) => (
      <div key={index}>
        <dt>{name}</dt>
        <dd class="wraps">{value}</dd>
      </div>
    ))}
  </dl>
)

const maxRows = 100

export function QualityTable({ products, conversations }: Pick<Schema<'Quality'>, 'products' | 'conversations'>) {
  const rows = [
    ...products.map((one) => ({ ...one, id: one.productId, keyword: 'product', index: one.pqi })),
    ...conversations.map((one) => ({
      ...one,
      id: one.conversation,
      keyword: 'conversation',
      index: one.cqi,
      name: undefined,
    })),
  ]
  const listed = rows.toSorted((a, b) => Math.abs(b.impact) - Math.abs(a.impact)).slice(0, maxRows)
  return (
    <>
      <DataTable
        title="Quality indexes of products (PQI) and conversations (CQI)"
        rows={listed}
        keyOf={({ keyword, id }) => `${keyword} ${id}`}
        columns={[
          {
            title: 'Name',
            class: 'breaks',
            cell: ({ id, name = shortId(id), keyword }) => (
              <a
                class={name === shortId(id) && name !== id ? 'nowrap' : undefined}
                href={hrefOf({ view: 'events', id: undefined, query: { q: searchTerm(keyword, id) } })}
                title={`List the events for ${id}`}
              >
                {name}
              </a>
            ),
          },
          {
            title: 'Index',
            class: 'nowrap',
            cell: ({ index }) => (
              <>
                <b>{index.toFixed(3)}</b>{' '}
                <meter style={{ width: '2em' }} value={index} low={0.5} optimum={1} aria-hidden="true" />
              </>
            ),
          },
          { title: 'Impact', class: 'number', cell: ({ impact }) => formatSigned(impact) },
          { title: 'Events', class: 'number', cell: ({ events }) => events.toLocaleString('en') },
        ]}
      />
      {rows.length > maxRows && <p class="faint">{pluralize(rows.length - maxRows, 'more row')} not listed</p>}
    </>
  )
}

export const formatSigned = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toFixed(4))}`
