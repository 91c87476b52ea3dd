import type { Schema } from '../api/answers.ts'
import { hrefOf } from '../store/route.ts'
import { DataTable } from './table.tsx'
import { searchText, shortId } from './text.ts'

/** Properties of `QualityTable`. */
export type QualityTableProps = Pick<Schema<'Quality'>, 'products' | 'conversations'>

/** The most rows, those that were moved furthest. */
const maxRows = 100

/** The quality indexes that events have moved. Each row leads to its events. */
export function QualityTable({ products, conversations }: QualityTableProps) {
  const rows = [
    ...products.map(({ productId, name = shortId(productId), pqi, ...moved }) => ({
      ...moved,
      name,
      search: searchText('product', productId),
      index: pqi,
    })),
    ...conversations.map(({ conversation, cqi, ...moved }) => ({
      ...moved,
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
            title: 'Product or conversation',
            class: 'breaks',
            cell: ({ name, search }) => (
              <a href={hrefOf({ view: 'events', id: undefined, query: { q: search } })}>{name}</a>
            ),
          },
          { title: 'Index', class: 'index', cell: ({ index }) => <IndexBar index={index} /> },
          { title: 'Impact', isNumber: true, cell: ({ impact }) => formatSigned(impact) },
          { title: 'Events', isNumber: true, cell: ({ events }) => events.toLocaleString('en') },
        ]}
      />
      {rows.length > maxRows && <p class="faint">{(rows.length - maxRows).toLocaleString('en')} more</p>}
    </>
  )
}

/** The index, with a bar from the middle, where it is without events. */
function IndexBar({ index }: { readonly index: number }) {
  return (
    <>
      <b>{index.toFixed(3)}</b>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <path d="M0 5H100M50 0V10" />
        <path class={index < 0.5 ? 'down' : 'up'} d={`M50 5H${index * 100}`} />
      </svg>
    </>
  )
}

/** Formats a number with its sign: `+0.4`, `−1`, `0`. */
export const formatSigned = (value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toFixed(4))}`
