import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call, type ResponseOf, type Schema } from '../../api/call.ts'
import { clearTick, connection, onArrival } from '../../store/live.ts'
import { route, sandbox } from '../../store/route.ts'
import { usePacedRequests } from '../../store/use-response.ts'
import type { RequestSearch } from './search.ts'

type Exchange = Schema<'Exchange'>

/** The size of a page of results, and the row limit while the list is not scrolled and no request is open. */
const maxRows = 300

/** The maximum number of rows while the list is scrolled or a request is open. */
const maxKeptRows = 3_000

export interface RowsState {
  /** The rows, newest first; undefined until they have loaded. */
  readonly rows: readonly Exchange[] | undefined
  /** The number of matching requests, including those that are not listed. */
  readonly total: number
  /** True if a search did not read the whole journal, so `total` may be too low. */
  readonly hasMore: boolean
  readonly evictedCount: number
  readonly problem: string | undefined
}

/** Loads the requests that match a search, and adds new matches as they arrive. Reloads when `key` changes. */
export function useRows(search: RequestSearch, key: string) {
  const state = useSignal<RowsState>({ rows: undefined, total: 0, hasMore: false, evictedCount: 0, problem: undefined })
  /** The number of requests that the list has not added because it is paused; undefined if it is not paused. */
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
  usePacedRequests(key, load, [connection.value, clearTick.value, missedTick.value, newCount.value !== undefined])
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
        // The journal has evicted requests, so the list and its counts are loaded again.
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
  before: RowsState,
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
      return result.problem.status === undefined ? before : { ...before, problem: result.problem.sentence }
    page = result.value
    rows.push(...page.requests.filter(search.matches))
  } while (page.next !== undefined && !areEnough(rows, before, limit))
  const total = search.isEmpty ? page.total : rows.length
  const hasMore = !search.isEmpty && page.next !== undefined
  return { rows: rows.slice(0, limit), total, hasMore, evictedCount: page.dropped, problem: undefined }
}

function areEnough(rows: readonly Exchange[], before: RowsState, limit: number): boolean {
  if (rows.length < maxRows || rows.length >= limit) return rows.length >= limit
  return (rows.at(-1)?.number ?? 0) <= (before.rows?.at(-1)?.number ?? 0)
}

/**
 * Adds the requests that are newer than the newest row. Ignores older requests that arrive late: they are already
 * listed or older than all rows. After a restart, the server numbers requests from 1 again, and the list reloads.
 */
function addRows(state: RowsState, later: readonly Exchange[], limit: number): RowsState {
  const rows = state.rows ?? []
  const newest = rows[0]?.number ?? 0
  const added = later.filter(({ number }) => number > newest).reverse()
  if (added.length === 0) return state
  const total = state.total + added.length
  return { ...state, rows: [...added, ...rows].slice(0, limit), total, problem: undefined }
}
