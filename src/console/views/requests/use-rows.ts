import { type Signal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import type { Schema } from '../../api/answers.ts'
import { ask, type Problem } from '../../api/ask.ts'
import { type Arrival, connection, onArrival } from '../../store/live.ts'
import { sandbox } from '../../store/route.ts'
import { createSampler } from './sampler.ts'
import { parseSearch, type RequestSearch } from './search.ts'

/** The most rows that are listed. */
const maxRows = 300

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
  /** The number of matching requests that came too fast to be listed. */
  readonly skipped: number
  /** The number of requests that the journal has evicted. */
  readonly evicted: number
  readonly problem: Problem | undefined
}

const emptyState: RowsState = { rows: undefined, skipped: 0, evicted: 0, problem: undefined }

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
  const opened = connection.value
  useEffect(() => {
    if (opened >= 0 && paused.peek() === undefined) reload()
  }, [reload, opened, paused])
  useEffect(() => {
    const sampler = createSampler()
    return onArrival((arrival) => {
      const matching = arrival.exchanges.filter(search.matches)
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
  const before = state.peek().rows?.[0]
  const asked = await ask('get', '/requests', {
    query: { ...search.conditions, sandbox: sandbox.peek(), order: 'newest', limit: maxRows },
  })
  if (own !== turn.peek()) return
  if (!asked.ok) {
    state.value = { ...state.peek(), problem: asked.problem }
    return
  }
  const listed = asked.value.requests.filter(search.matches)
  // Requests that were answered meanwhile are in the list already, or newer than all of it.
  const newest = asked.value.requests[0]?.number ?? 0
  const rows = state.peek().rows ?? []
  const later = rows.slice(0, Math.max(0, before ? rows.indexOf(before) : rows.length))
  state.value = {
    ...emptyState,
    rows: [...later.filter(({ number }) => number > newest), ...listed].slice(0, maxRows),
    evicted: asked.value.dropped,
  }
}

function addRows(
  state: RowsState,
  matching: readonly Schema<'Exchange'>[],
  { skipped }: Arrival,
  chosen: readonly Schema<'Exchange'>[],
): RowsState {
  const rows = state.rows ?? []
  const newest = rows[0]?.number ?? 0
  const added = chosen.filter(({ number }) => number > newest).reverse()
  const left = matching.length - chosen.length + skipped
  if (added.length === 0 && left === 0) return state
  return { ...state, rows: [...added, ...rows].slice(0, maxRows), skipped: state.skipped + left }
}
