import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { type Asked, ask, type Problem } from '../../api/ask.ts'
import { clearTick, connection, onArrival } from '../../store/live.ts'
import { route, sandbox } from '../../store/route.ts'
import { createSampler } from './sampler.ts'
import { parseSearch, type RequestSearch } from './search.ts'

/** The most rows that are listed. */
const maxRows = 300

/** The most requests that the journal answers at a time. */
const maxPageSize = 1_000

/** The rows of the list, which grow while requests are answered. */
export interface RequestRows {
  readonly search: RequestSearch
  readonly state: Signal<RowsState>
  /** The number of requests that have come while the list is paused; undefined: it is not paused. */
  readonly paused: Signal<number | undefined>
  /** Stops the list, or reads it anew. */
  readonly togglePause: () => void
  /** Reads the newest requests, and forgets what was sampled. */
  readonly reload: () => void
  /** True while the list is scrolled; the list itself says so. Its rows, and those of an open request, do not go. */
  readonly isScrolled: { current: boolean }
}

/** A state of the list. */
export interface RowsState {
  /** The newest first; undefined: not read yet. */
  readonly rows: readonly Schema<'Exchange'>[] | undefined
  /** The number of matching requests, listed or not. */
  readonly total: number
  /** True: the journal was not read to its end, so `total` is not all. */
  readonly hasMore: boolean
  /** The number of matching requests that came too fast to be listed. */
  readonly skipped: number
  /** The number of requests that came too fast to be compared with the search. */
  readonly unsearched: number
  /** The number of new requests that wait, since their rows would take the place of those that are looked at. */
  readonly heldBack: number
  /** The number of requests that the journal has evicted. */
  readonly evicted: number
  readonly problem: Problem | undefined
  /** The number of the newest request when the list was read, and the connection at that time. A request up to it is late: it was listed or left out. */
  readonly readUpTo: { readonly number: number; readonly connection: number }
}

const emptyState: RowsState = {
  rows: undefined,
  total: 0,
  hasMore: false,
  skipped: 0,
  unsearched: 0,
  heldBack: 0,
  evicted: 0,
  problem: undefined,
  readUpTo: { number: 0, connection: 0 },
}

/** Reads the requests that match a search text, and adds new ones as they are answered. */
export function useRows(text: string): RequestRows {
  const search = useMemo(() => parseSearch(text), [text])
  const state = useSignal(emptyState)
  const paused = useSignal<number | undefined>(undefined)
  const isLoading = useSignal(0)
  const isScrolled = useRef(false)
  const openId = route.value.id
  const reload = useCallback(() => {
    isLoading.value = isLoading.peek() + 1
    void load(search, isLoading, state)
  }, [search, isLoading, state])
  useEffect(() => {
    if (paused.peek() === undefined) reload()
  }, [reload, connection.value, clearTick.value, paused])
  useEffect(() => {
    if (openId === undefined && !isScrolled.current && state.peek().heldBack > 0) reload()
  }, [openId, state, reload])
  useEffect(() => {
    const sampler = createSampler()
    return onArrival((arrival) => {
      const { readUpTo } = state.peek()
      // A server that was started again counts anew.
      const last = readUpTo.connection === connection.peek() ? readUpTo.number : 0
      const matching = arrival.exchanges.filter((one) => one.number > last && search.matches(one))
      const unsearched = text === '' ? 0 : arrival.skipped
      const skipped = arrival.skipped - unsearched
      if (paused.peek() !== undefined) {
        paused.value = (paused.peek() ?? 0) + matching.length + skipped
        return
      }
      const chosen = sampler.choose(matching, performance.now())
      const isHeld = route.peek().id !== undefined || isScrolled.current
      const left = matching.length - chosen.length + skipped
      state.value = addRows(state.peek(), { chosen, left, unsearched, isHeld })
    })
  }, [search, text, paused, state])
  const togglePause = useCallback(() => {
    const isPaused = paused.peek() !== undefined
    paused.value = isPaused ? undefined : 0
    if (isPaused) reload()
    // What is being read may have requests that are counted as come: it is dropped, unless the list would stay empty.
    else if (state.peek().rows !== undefined) isLoading.value = isLoading.peek() + 1
  }, [paused, reload, state, isLoading])
  return { search, state, paused, togglePause, reload, isScrolled }
}

async function load(search: RequestSearch, turn: Signal<number>, state: Signal<RowsState>): Promise<void> {
  const own = turn.peek()
  const before = state.peek().rows ?? []
  const found = await findRows(search, () => own === turn.peek())
  if (own !== turn.peek() || !found) return
  if (!found.ok) {
    state.value = { ...state.peek(), problem: found.problem }
    return
  }
  const { rows, total, readUpTo } = found.value
  // Requests that have come meanwhile stay on top.
  const isNew = isMissingIn(before)
  const later = (state.peek().rows ?? []).filter((one) => one.number > readUpTo.number && isNew(one))
  state.value = {
    ...emptyState,
    ...found.value,
    rows: [...later, ...rows].slice(0, maxRows),
    total: total + later.length,
  }
}

type FoundRows = Pick<RowsState, 'total' | 'hasMore' | 'evicted' | 'readUpTo'> & {
  readonly rows: readonly Schema<'Exchange'>[]
}

/** Reads the newest requests that match. Conditions that the journal cannot check are checked here, page by page. */
async function findRows(
  { conditions, isCheckedByJournal, matches }: RequestSearch,
  isWanted: () => boolean,
): Promise<Asked<FoundRows> | undefined> {
  const query = { ...conditions, sandbox: sandbox.peek(), order: 'newest' as const }
  const limit = isCheckedByJournal ? maxRows : maxPageSize
  const rows: Schema<'Exchange'>[] = []
  const readUpTo = { number: 0, connection: connection.peek() }
  let cursor: number | undefined
  let page: AnswerOf<'/requests', 'get'>
  do {
    const asked = await ask('get', '/requests', {
      query: { ...query, limit, ...(cursor !== undefined && { cursor }) },
    })
    if (!asked.ok) return asked
    page = asked.value
    cursor = page.next
    readUpTo.number = Math.max(readUpTo.number, page.requests[0]?.number ?? 0)
    rows.push(...page.requests.filter(matches))
  } while (isWanted() && !isCheckedByJournal && cursor !== undefined && rows.length < maxRows)
  const total = isCheckedByJournal ? page.total : rows.length
  const hasMore = !isCheckedByJournal && cursor !== undefined
  return {
    ok: true,
    value: { rows: rows.slice(0, maxRows), total, hasMore, evicted: page.dropped, readUpTo },
  }
}

/** New requests for the list. */
interface NewRows {
  /** Those to list, the oldest first. */
  readonly chosen: readonly Schema<'Exchange'>[]
  /** The number of those that match and are not to be listed. */
  readonly left: number
  readonly unsearched: number
  /** True: no row may go. */
  readonly isHeld: boolean
}

function addRows(state: RowsState, { chosen, left, unsearched, isHeld }: NewRows): RowsState {
  const rows = state.rows ?? []
  const added = chosen.filter(isMissingIn(rows)).reverse()
  if (added.length + left + unsearched === 0) return state
  const mustWait = isHeld && (state.heldBack > 0 || rows.length + added.length > maxRows)
  return {
    ...state,
    rows: mustWait ? rows : [...added, ...rows].slice(0, maxRows),
    heldBack: state.heldBack + (mustWait ? added.length : 0),
    total: state.total + added.length + left,
    skipped: state.skipped + left,
    unsearched: state.unsearched + unsearched,
  }
}

/** Returns a test that a request is not among others. A number alone does not tell, since a server that was started again counts anew. */
function isMissingIn(others: readonly Schema<'Exchange'>[]): (exchange: Schema<'Exchange'>) => boolean {
  const keyOf = ({ number, at }: Schema<'Exchange'>) => `${number} ${at}`
  const known = new Set(others.map(keyOf))
  return (exchange) => !known.has(keyOf(exchange))
}
