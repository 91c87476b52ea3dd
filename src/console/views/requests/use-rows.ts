import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { ask, type ResponseOf, type Schema } from '../../api/ask.ts'
import { clearTick, connection, onArrival } from '../../store/live.ts'
import { route, sandbox } from '../../store/route.ts'
import { usePacedAsking } from '../../store/use-response.ts'
import type { RequestSearch } from './search.ts'

type Exchange = Schema<'Exchange'>

/** The most rows that are listed, and that are read at a time. */
const maxRows = 300

/** The most rows that are listed while the list is scrolled or a request is open. */
const maxHeldRows = 3_000

/** A state of the list. */
export interface RowsState {
  /** The newest first; undefined: not read yet. */
  readonly rows: readonly Exchange[] | undefined
  /** The number of matching requests, listed or not. */
  readonly total: number
  /** Is true if the journal was not read to its end, so that `total` is not all. */
  readonly hasMore: boolean
  /** The number of requests that the journal has evicted. */
  readonly evicted: number
  readonly problem: string | undefined
}

/** The rows of the list, which grow while requests are handled. */
interface RequestRows {
  readonly state: Signal<RowsState>
  /** The number of requests that have come while the list is paused; undefined: it is not paused. */
  readonly paused: Signal<number | undefined>
  /** True while the list is scrolled; the list itself says so. Its rows, and those of an open request, do not go. */
  readonly isScrolled: { current: boolean }
}

/** Reads the requests that match a search, and adds new ones. `key`: the text on which the search depends. */
export function useRows(search: RequestSearch, key: string): RequestRows {
  const state = useSignal<RowsState>({ rows: undefined, total: 0, hasMore: false, evicted: 0, problem: undefined })
  const paused = useSignal<number | undefined>(undefined)
  const missed = useSignal(0)
  const isScrolled = useRef(false)
  const mostRows = () => (route.peek().id !== undefined || isScrolled.current ? maxHeldRows : maxRows)
  const turn = useRef(0)
  /** The requests that came while the list is read; undefined while it is not. */
  const late = useRef<Exchange[] | undefined>(undefined)
  const latest = useRef(search)
  latest.current = search
  const load = useCallback(async () => {
    if (paused.peek() !== undefined && state.peek().rows) return
    turn.current += 1
    const own = turn.current
    late.current = []
    const found = await findRows(latest.current, state.peek(), mostRows(), () => own === turn.current)
    if (!found || own !== turn.current) return
    const came = late.current
    late.current = undefined
    if (paused.peek() !== undefined && state.peek().rows) return
    state.value = addRows(found, came, mostRows())
  }, [key])
  const isPaused = paused.value !== undefined
  usePacedAsking(key, load, [connection.value, clearTick.value, missed.value, isPaused])
  useEffect(
    () =>
      onArrival(({ exchanges, skipped }) => {
        const matching = exchanges.filter(latest.current.matches)
        if (paused.peek() !== undefined) {
          paused.value = (paused.peek() ?? 0) + matching.length + skipped
          return
        }
        late.current?.push(...matching)
        state.value = addRows(state.peek(), matching, mostRows())
        // What came too fast is read from the journal.
        if (skipped > 0) missed.value += 1
      }),
    [],
  )
  return { state, paused, isScrolled }
}

/**
 * Reads the newest requests that match, page by page; if `most` is more than a page, down to the oldest row that is
 * listed. Returns undefined if another search has begun meanwhile.
 */
async function findRows(
  search: RequestSearch,
  before: RowsState,
  most: number,
  isWanted: () => boolean,
): Promise<RowsState | undefined> {
  const query = { sandbox: sandbox.peek(), order: 'newest', limit: maxRows, bodies: true } as const
  const rows: Exchange[] = []
  let page: ResponseOf<'/requests', 'get'> | undefined
  do {
    const cursor = page?.next
    const asked = await ask('get', '/requests', { query: { ...query, ...(cursor !== undefined && { cursor }) } })
    if (!isWanted()) return undefined
    // The page says itself that the server does not respond.
    if (!asked.ok) return asked.problem.status === undefined ? before : { ...before, problem: asked.problem.sentence }
    page = asked.value
    rows.push(...page.requests.filter(search.matches))
  } while (page.next !== undefined && !areEnough(rows, before, most))
  const total = search.isEmpty ? page.total : rows.length
  const hasMore = !search.isEmpty && page.next !== undefined
  return { rows: rows.slice(0, most), total, hasMore, evicted: page.dropped, problem: undefined }
}

function areEnough(rows: readonly Exchange[], before: RowsState, most: number): boolean {
  if (rows.length < maxRows || rows.length >= most) return rows.length >= most
  return (rows.at(-1)?.number ?? 0) <= (before.rows?.at(-1)?.number ?? 0)
}

/**
 * Adds the requests after the newest row. Earlier ones that are delivered late are in the journal that was read, also
 * those beyond its page. After a restart, which counts from 1 again, the list is read again.
 */
function addRows(state: RowsState, later: readonly Exchange[], most: number): RowsState {
  const rows = state.rows ?? []
  const newest = rows[0]?.number ?? 0
  const added = later.filter(({ number }) => number > newest).reverse()
  if (state.rows && added.length === 0) return state
  const total = state.total + added.length
  return { ...state, rows: [...added, ...rows].slice(0, most), total, problem: undefined }
}
