import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ask, type ResponseOf, type Schema } from '../../api/ask.ts'
import { clearTick, connection, onArrival } from '../../store/live.ts'
import { route, sandbox } from '../../store/route.ts'
import { usePacedAsking } from '../../store/use-response.ts'
import type { RequestSearch } from './search.ts'

type Exchange = Schema<'Exchange'>

/** The maximum number of rows in the list, and of requests loaded at a time. */
const maxRows = 300

/** The maximum number of rows while the list is scrolled or a request is open. */
const maxHeldRows = 3_000

export interface RowsState {
  /** Newest first; undefined: not loaded yet. */
  readonly rows: readonly Exchange[] | undefined
  /** The number of matching requests, listed or not. */
  readonly total: number
  /** True if the journal was not read to its end, so that `total` is incomplete. */
  readonly hasMore: boolean
  readonly evicted: number
  readonly problem: string | undefined
}

/** Loads the requests that match a search, and adds new ones. `key`: the text on which the search depends. */
export function useRows(search: RequestSearch, key: string) {
  const state = useSignal<RowsState>({ rows: undefined, total: 0, hasMore: false, evicted: 0, problem: undefined })
  /** The number of requests that arrived while the list is paused; undefined: it is not paused. */
  const paused = useSignal<number | undefined>(undefined)
  const missed = useSignal(0)
  /** True while the list is scrolled, as the list reports. Its rows, and that of an open request, are then kept. */
  const isScrolled = useRef(false)
  const mostRows = () => (route.peek().id !== undefined || isScrolled.current ? maxHeldRows : maxRows)
  const isHeld = () => paused.peek() !== undefined && state.peek().rows !== undefined
  /** The requests that arrived while the list loads; undefined while it does not. */
  const late = useRef<Exchange[] | undefined>(undefined)
  const latest = useRef(search)
  latest.current = search
  const load = async () => {
    if (isHeld()) return
    const came: Exchange[] = []
    late.current = came
    const found = await findRows(latest.current, state.peek(), mostRows(), () => late.current === came)
    if (!found) return
    late.current = undefined
    if (!isHeld()) state.value = addRows(found, came, mostRows())
  }
  usePacedAsking(key, load, [connection.value, clearTick.value, missed.value, paused.value !== undefined])
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
        // Requests dropped because they arrived too fast are read from the journal.
        if (skipped > 0) missed.value += 1
      }),
    [],
  )
  return { state, paused, isScrolled }
}

/**
 * Loads the newest matching requests, page by page; if `most` exceeds a page, down to the oldest listed row. Returns
 * undefined if another search has started meanwhile.
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
    // The page already shows that the server does not respond.
    if (asked.problem)
      return asked.problem.status === undefined ? before : { ...before, problem: asked.problem.sentence }
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
 * Adds the requests after the newest row. Earlier requests that arrive late are already in the loaded part of the
 * journal or before it. After a restart of the server, which numbers from 1, the list is reloaded.
 */
function addRows(state: RowsState, later: readonly Exchange[], most: number): RowsState {
  const rows = state.rows ?? []
  const newest = rows[0]?.number ?? 0
  const added = later.filter(({ number }) => number > newest).reverse()
  if (added.length === 0) return state
  const total = state.total + added.length
  return { ...state, rows: [...added, ...rows].slice(0, most), total, problem: undefined }
}
