import type { Schema } from '../api/ask.ts'
import { hrefOf } from '../store/route.ts'
import { DataTable } from './table.tsx'
import { searchText, shortId } from './text.tsx'

type QualityTableProps = Pick<Schema<'Quality'>, 'products' | 'conversations'>

/** The most rows, those that were moved furthest. */
const maxRows = 100

/** The quality indexes that events have moved. Each row leads to its events. */
export function QualityTable({ products, conversations }: QualityTableProps) {
  const rows = [
    ...products.map(({ productId, name = shortId(productId), pqi, ...moved }) => ({
      ...moved,
      id: productId,
      name,
      search: searchText('product', productId),
      index: pqi,
    })),
    ...conversations.map(({ conversation, cqi, ...moved }) => ({
      ...moved,
      id: conversation,
      name: shortId(conversation),
      search: searchText('conversation', conversation),
      index: cqi,
    })),
  ]
  const listed = rows.toSorted((a, b) => Math.abs(b.impact) - Math.abs(a.impact)).slice(0, maxRows)
  return (
    <>
      <DataTable
        title="Quality indexes of products (PQI) and conversations (CQI)"
        rows={listed}
        keyOf={({ search }) => search}
        columns={[
          {
            title: 'Name',
            class: 'breaks',
            cell: ({ id, name, search }) => (
              <a
                class={name === shortId(id) && name !== id ? 'nowrap' : undefined}
                href={hrefOf({ view: 'events', id: undefined, query: { q: search } })}
                title={`List the events of ${id}`}
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
          { title: 'Impact', isNumber: true, cell: ({ impact }) => formatSigned(impact) },
          { title: 'Events', isNumber: true, cell: ({ events }) => events.toLocaleString('en') },
        ]}
      />
      {rows.length > maxRows && <p class="faint">{(rows.length - maxRows).toLocaleString('en')} more</p>}
    </>
  )
}

/** Formats a number with its sign: `+0.4`, `−1`, `0`. */
export const formatSigned = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toFixed(4))}`
