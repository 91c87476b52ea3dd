import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call, type ResponseOf, type Schema } from '../../api/call.ts'
import { clearTick, connectionCount, onArrival } from '../../store/live.ts'
import { route, sandbox } from '../../store/route.ts'
import { usePacedRequests } from '../../store/use-response.ts'
import type { RequestSearch } from './search.ts'

type Exchange = Schema<'Exchange'>

/** The size of a page of results, and the row limit while the list is not scrolled and no request is open. */
const maxRows = 300

/** The maximum number of rows while the list is scrolled or a request is open. */
const maxKeptRows = 3_000

export interface RowsState {
  /** The rows, newest first; undefined until the first load or arrival. */
  readonly rows: readonly Exchange[] | undefined
  /** The number of matching requests, including those that are not listed. */
  readonly total: number
  /** True if a search did not read the whole journal, so `total` may be too low. */
  readonly hasMore: boolean
  readonly evictedCount: number
  readonly problem: string | undefined
}

/** Loads the requests that match a search, and adds new matches. Reloads when `key` changes, unless paused. */
export function useRows(search: RequestSearch, key: string) {
  const state = useSignal<RowsState>({ rows: undefined, total: 0, hasMore: false, evictedCount: 0, problem: undefined })
  /** The number of new requests held back while the list is paused; undefined if the list is not paused. */
  const newCount = useSignal<number | undefined>(undefined)
  const missedTick = useSignal(0)
  /** True while the list is scrolled. `RequestList` sets it. */
  const isScrolled = useRef(false)
  const rowLimit = () => (route.peek().id !== undefined || isScrolled.current ? maxKeptRows : maxRows)
  const isFrozen = () => newCount.peek() !== undefined && state.peek().rows !== undefined
  /** The matches that have arrived since the list began to load; undefined if the list is not loading. */
  const arrivals = useRef<Exchange[] | undefined>(undefined)
  const latest = useRef(search)
  latest.current = search
  const load = async () => {
    if (isFrozen()) return
    const ownArrivals: Exchange[] = []
    arrivals.current = ownArrivals
    const found = await findRows(latest.current, state.peek(), rowLimit(), () => arrivals.current === ownArrivals)
    if (!found) return
    arrivals.current = undefined
    if (!isFrozen()) state.value = addRows(found, ownArrivals, rowLimit())
  }
  usePacedRequests(key, load, [connectionCount.value, clearTick.value, missedTick.value, newCount.value !== undefined])
  useEffect(
    () =>
      onArrival(({ exchanges, missedCount }) => {
        const matching = exchanges.filter(latest.current.matches)
        if (newCount.peek() !== undefined) {
          newCount.value = (newCount.peek() ?? 0) + matching.length + missedCount
          return
        }
        arrivals.current?.push(...matching)
        state.value = addRows(state.peek(), matching, rowLimit())
        // The list now has gaps and outdated counts, so it is loaded again.
        if (missedCount > 0) missedTick.value += 1
      }),
    [],
  )
  return { state, newCount, isScrolled }
}

/**
 * Loads the newest `maxRows` matching requests. If `limit` is higher, continues until it reaches the limit or the
 * oldest row that is already listed. Returns undefined if another load has started in the meantime.
 */
async function findRows(
  search: RequestSearch,
  previous: RowsState,
  limit: number,
  isCurrent: () => boolean,
): Promise<RowsState | undefined> {
  const query = { sandbox: sandbox.peek(), order: 'newest', limit: maxRows, bodies: true } as const
  const rows: Exchange[] = []
  let page: ResponseOf<'/requests', 'get'> | undefined
  do {
    const cursor = page?.next
    const result = await call('get', '/requests', { query: { ...query, ...(cursor !== undefined && { cursor }) } })
    if (!isCurrent()) return undefined
    // The banner already says that the server is not responding.
    if (result.problem)
      return result.problem.status === undefined ? previous : { ...previous, problem: result.problem.sentence }
    page = result.value
    rows.push(...page.requests.filter(search.matches))
  } while (page.next !== undefined && !areEnough(rows, previous, limit))
  const total = search.isEmpty ? page.total : rows.length
  const hasMore = !search.isEmpty && page.next !== undefined
  return { rows: rows.slice(0, limit), total, hasMore, evictedCount: page.dropped, problem: undefined }
}

function areEnough(rows: readonly Exchange[], previous: RowsState, limit: number): boolean {
  if (rows.length < maxRows || rows.length >= limit) return rows.length >= limit
  return (rows.at(-1)?.number ?? 0) <= (previous.rows?.at(-1)?.number ?? 0)
}

/**
 * Adds the requests that are newer than the newest row. All others are already listed or older than all rows. A
 * restarted server numbers requests from 1 again, but the list then reloads anyway.
 */
function addRows(state: RowsState, arrivals: readonly Exchange[], limit: number): RowsState {
  const rows = state.rows ?? []
  const newest = rows[0]?.number ?? 0
  const added = arrivals.filter(({ number }) => number > newest).reverse()
  if (added.length === 0) return state
  const total = state.total + added.length
  return { ...state, rows: [...added, ...rows].slice(0, limit), total, problem: undefined }
}
