import { useMemo } from 'preact/hooks'
import { useCommands } from '../../store/commands.ts'
import { navigate, route, sandbox } from '../../store/route.ts'
import { info } from '../../store/server.ts'
import { Button } from '../../ui/controls.tsx'
import { Empty, eventRequest } from '../../ui/empty.tsx'
import { SearchableList } from '../../ui/searchable-list.tsx'
import { countListed, pluralize } from '../../ui/text.tsx'
import { clearRequests, RequestDetail } from './detail.tsx'
import { RequestList } from './request-list.tsx'
import { attempts, parseSearch, useAttempts } from './search.ts'
import { Summary } from './summary.tsx'
import { type RowsState, useRows } from './use-rows.ts'

export function RequestsPage() {
  const { id, query } = route.value
  const text = query['q'] ?? ''
  useAttempts()
  const search = useMemo(() => parseSearch(text), [text, info.value])
  const { state, newCount, isScrolled } = useRows(search, search.readsRetries ? `${text} ${attempts.value.size}` : text)
  const togglePause = () => {
    newCount.value = newCount.peek() === undefined ? 0 : undefined
  }
  const listed = state.value.rows ?? []
  useCommands([{ title: 'Pause or resume the list', key: 'p', run: togglePause }], [])
  return (
    <div class={id === undefined ? 'split' : 'split with-open'}>
      <SearchableList
        noun="request"
        ids={listed.map((exchange) => exchange.id)}
        placeholder="Search by name, path, body or status"
        summary={<Summary text={text} />}
        tools={
          <>
            <Button
              label={newCount.value === undefined ? 'Pause' : 'Resume'}
              aria-pressed={newCount.value !== undefined}
              onClick={togglePause}
            />
            <Button label="Clear" disabled={listed.length === 0} onClick={clearRequests} />
          </>
        }
        problem={search.problem ?? state.value.problem}
        note={newCount.value === undefined ? describeListed(state.value) : `Paused; new requests: ${newCount.value}.`}
      >
        {state.value.rows?.length === 0 ? (
          <NoRequests isSearch={text !== ''} />
        ) : (
          <RequestList listed={listed} isScrolled={isScrolled} />
        )}
      </SearchableList>
      {id !== undefined && <RequestDetail key={`${sandbox.value} ${id}`} id={id} />}
    </div>
  )
}

function describeListed({ rows = [], total, hasMore, evictedCount }: RowsState): string {
  if (rows.length === 0) return ''
  const loss = evictedCount > 0 ? `; the journal has evicted ${pluralize(evictedCount, 'request')}` : ''
  const unread = hasMore ? '; older requests were not searched' : ''
  return countListed(rows.length, hasMore ? rows.length : total) + unread + loss
}

function NoRequests({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch)
    return (
      <Empty title="No requests match">
        Plain text matches names, paths, bodies, violations and advice. A keyword searches a single field:{' '}
        <code>status: op: method: origin: path: trace: has:</code>{' '}
        <Button label="Show all requests" class="link" onClick={() => navigate({ query: { q: undefined } })} />
      </Empty>
    )
  return (
    <Empty title="No requests yet" curl={eventRequest()}>
      Point your client at this server, or send a first request. Requests appear here as soon as they are handled.
    </Empty>
  )
}
