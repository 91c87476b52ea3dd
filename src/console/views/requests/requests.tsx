import { useRef } from 'preact/hooks'
import { useCommands } from '../../store/commands.ts'
import { navigate, replaceRoute, route } from '../../store/route.ts'
import { useListKeys } from '../../store/use-list-keys.ts'
import { sampleEvent } from '../../ui/curl.ts'
import { Empty } from '../../ui/empty.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { RequestDetail } from './detail.tsx'
import { RequestList } from './request-list.tsx'
import { type RequestRows, type RowsState, useRows } from './use-rows.ts'

/** Shows the view "Requests". */
export function RequestsPage() {
  const { id, query } = route.value
  const text = query['q'] ?? ''
  const rows = useRows(text)
  const field = useRef<HTMLInputElement>(null)
  useListKeys({
    noun: 'request',
    ids: () => (rows.state.peek().rows ?? []).map((exchange) => exchange.id),
    open: (next) => replaceRoute({ view: 'requests', id: next }),
    field,
  })
  useCommands(
    [
      { title: 'Pause or resume the list', key: 'p', run: rows.togglePause },
      { title: 'Close the request', key: 'Escape', run: () => replaceRoute({ id: undefined }) },
    ],
    [rows.togglePause],
  )
  return (
    <div class={id === undefined ? 'split requests' : 'split requests with-detail'}>
      <section class="split-pane" aria-label="Requests">
        <Toolbar rows={rows} field={field} />
        <Listing rows={rows} text={text} openId={id} />
      </section>
      {id !== undefined && <RequestDetail key={id} id={id} />}
    </div>
  )
}

interface ListingProps {
  readonly rows: RequestRows
  readonly text: string
  readonly openId: string | undefined
}

/** The list alone follows the requests, so that an open request is not drawn anew with each of them. */
function Listing({ rows, text, openId }: ListingProps) {
  const listed = rows.state.value.rows
  if (listed?.length === 0) return <NoRequests isSearch={text !== ''} />
  return <RequestList rows={rows} listed={listed ?? []} openId={openId} />
}

interface ToolbarProps {
  readonly rows: RequestRows
  readonly field: { current: HTMLInputElement | null }
}

function Toolbar({ rows: { search, state, paused, togglePause, reload }, field }: ToolbarProps) {
  const { skipped, unsearched, problem } = state.value
  const isTooFast = skipped + unsearched > 0
  const wrong = search.problem ?? problem?.sentence
  return (
    <div class="toolbar">
      <SearchField label="Search requests" placeholder="status:4xx op:createEvent has:violation text" field={field} />
      <button type="button" aria-pressed={paused.value !== undefined} onClick={togglePause}>
        {paused.value === undefined ? 'Pause' : 'Resume'}
      </button>
      <p class="toolbar-note" role={wrong ? 'alert' : undefined}>
        {wrong ? <span class="bad">{wrong}</span> : null}
        {!wrong && paused.value !== undefined && `Paused; ${paused.value} more have come.`}
        {!wrong && isTooFast && (
          <>
            They come too fast to read: {describeSkipped(state.value)}.{' '}
            <button type="button" class="link" onClick={reload}>
              List the newest
            </button>
          </>
        )}
        {!wrong && !isTooFast && paused.value === undefined && <span class="faint">{describeListed(state.value)}</span>}
      </p>
    </div>
  )
}

function describeSkipped({ skipped, unsearched }: RowsState): string {
  const parts = [
    ...(skipped > 0 ? [`${skipped.toLocaleString('en')} are not listed`] : []),
    ...(unsearched > 0 ? [`${unsearched.toLocaleString('en')} were not searched`] : []),
  ]
  return parts.join(', ')
}

function describeListed({ rows, total, hasMore, evicted }: RowsState): string {
  if (!rows || rows.length === 0) return ''
  const listed = rows.length.toLocaleString('en')
  const loss = evicted > 0 ? `; the journal has evicted ${evicted.toLocaleString('en')}` : ''
  if (hasMore) return `${listed} listed, there are more${loss}`
  return `${rows.length < total ? `${listed} of ` : ''}${total.toLocaleString('en')} listed${loss}`
}

function NoRequests({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No request matches">
        Words are <code>status:</code>, <code>op:</code>, <code>method:</code>, <code>origin:</code>, <code>path:</code>
        , <code>trace:</code> and <code>has:violation</code>; anything else is searched as a text.{' '}
        <button type="button" class="link" onClick={() => navigate({ query: { q: undefined } })}>
          Show all requests
        </button>
      </Empty>
    )
  return (
    <Empty title="No requests yet" curl={{ method: 'POST', path: '/events', body: sampleEvent }}>
      Point your client at this server, or send a first request from a shell. It appears here as soon as it is answered.
    </Empty>
  )
}
