import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { type Asked, ask, type Problem } from '../../api/ask.ts'
import { type Arrival, clearTick, connection, onArrival } from '../../store/live.ts'
import { sandbox } from '../../store/route.ts'
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
}

/** A state of the list. */
export interface RowsState {
  /** The newest first; undefined: not read yet. */
  readonly rows: readonly Schema<'Exchange'>[] | undefined
  /** The number of matching requests, listed or not. */
  readonly total: number
  /** The number of matching requests that came too fast to be listed. */
  readonly skipped: number
  /** The number of requests that the journal has evicted. */
  readonly evicted: number
  readonly problem: Problem | undefined
  /** The number of the newest request when the list was read, and the connection at that time. A request up to it is late: it was listed or left out. */
  readonly readUpTo: { readonly number: number; readonly connection: number }
}

const emptyState: RowsState = {
  rows: undefined,
  total: 0,
  skipped: 0,
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
  const reload = useCallback(() => {
    isLoading.value = isLoading.peek() + 1
    void load(search, isLoading, state)
  }, [search, isLoading, state])
  useEffect(() => {
    if (paused.peek() === undefined) reload()
  }, [reload, connection.value, clearTick.value, paused])
  useEffect(() => {
    const sampler = createSampler()
    return onArrival((arrival) => {
      const { readUpTo } = state.peek()
      // A server that was started again counts anew.
      const last = readUpTo.connection === connection.peek() ? readUpTo.number : 0
      const matching = arrival.exchanges.filter((one) => one.number > last && search.matches(one))
      if (paused.peek() !== undefined) paused.value = (paused.peek() ?? 0) + matching.length + arrival.skipped
      else state.value = addRows(state.peek(), matching, arrival, sampler.choose(matching, performance.now()))
    })
  }, [search, paused, state])
  const togglePause = useCallback(() => {
    const isPaused = paused.peek() !== undefined
    paused.value = isPaused ? undefined : 0
    if (isPaused) reload()
  }, [paused, reload])
  return { search, state, paused, togglePause, reload }
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

type FoundRows = Pick<RowsState, 'total' | 'evicted' | 'readUpTo'> & {
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
  return { ok: true, value: { rows: rows.slice(0, maxRows), total, evicted: page.dropped, readUpTo } }
}

function addRows(
  state: RowsState,
  matching: readonly Schema<'Exchange'>[],
  { skipped }: Arrival,
  chosen: readonly Schema<'Exchange'>[],
): RowsState {
  const rows = state.rows ?? []
  const added = chosen.filter(isMissingIn(rows)).reverse()
  const left = matching.length - chosen.length + skipped
  if (added.length === 0 && left === 0) return state
  return {
    ...state,
    rows: [...added, ...rows].slice(0, maxRows),
    total: state.total + added.length + left,
    skipped: state.skipped + left,
  }
}

/** Returns a test that a request is not among others. A number alone does not tell, since a server that was started again counts anew. */
function isMissingIn(others: readonly Schema<'Exchange'>[]): (exchange: Schema<'Exchange'>) => boolean {
  const keyOf = ({ number, at }: Schema<'Exchange'>) => `${number} ${at}`
  const known = new Set(others.map(keyOf))
  return (exchange) => !known.has(keyOf(exchange))
}
