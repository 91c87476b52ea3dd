import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiResult, type ControlPath, call, type Problem, type QueryOf, type ResponseOf } from '../api/call.ts'
import { connectionCount, trafficTick } from './live.ts'
import { revisions } from './server.ts'

export interface LiveResponse<Value> {
  readonly value: Value | undefined
  readonly problem: Problem | undefined
  readonly reload: () => Promise<void>
}

interface LiveRequestOptions<Path extends ControlPath> {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, 'get'>
  readonly followsTraffic?: boolean
}

/**
 * Requests data from the control plane while a component is mounted: immediately, and again when the request changes,
 * the page reconnects, the sandbox's data is changed or, with `followsTraffic`, requests arrive or are deleted.
 */
export function useResponse<Path extends ControlPath>(
  path: Path,
  { followsTraffic = false, ...options }: LiveRequestOptions<Path> = {},
): LiveResponse<ResponseOf<Path, 'get'>> {
  const request = () => call('get', path, options)
  return useLiveRequest(JSON.stringify([path, options]), request, [followsTraffic ? trafficTick.value : 0])
}

/**
 * Sends a request immediately, and again when the key, the connection, the sandbox's data or one of `deps` changes.
 * The last value is kept until the next one arrives, even after a failure, unless `subject` (default: the key) changes.
 */
export function useLiveRequest<Value>(
  key: string,
  request: () => Promise<ApiResult<Value>>,
  deps: readonly unknown[] = [],
  subject = key,
): LiveResponse<Value> {
  const state = useSignal<Partial<LiveResponse<Value>> & { subject: string }>({ subject })
  const latest = useRef({ subject, request, turn: 0 })
  const current = Object.assign(latest.current, { subject, request })
  const reload = async () => {
    const turn = ++current.turn
    const { subject } = current
    const result = await current.request()
    if (turn !== current.turn) return
    const previous = state.peek().subject === subject ? state.peek().value : undefined
    state.value = { value: previous, ...result, subject }
  }
  usePacedRequests(key, reload, [connectionCount.value, revisions.value, ...deps])
  const { value, problem } = state.value.subject === subject ? state.value : {}
  return { value, problem, reload }
}

/** The pause as a multiple of the response time. Requests take at most 10% of the time, unless `maxPauseMs` applies. */
const pauseFactor = 9

/** The maximum pause after a slow response, in milliseconds. */
const maxPauseMs = 5_000

/**
 * Sends a request immediately, and again when one of `deps` changes, while a component is mounted. The pause after a
 * request grows with the request's duration, to limit the load on the server. `key` identifies the request: a request
 * with a new key is sent at once, even if the last one is still in flight. A hidden page does not repeat requests, so
 * `deps` should contain `connectionCount`, which changes when the page becomes visible again. `deps` must have the same
 * length in every render.
 */
export function usePacedRequests(key: string, send: () => Promise<void>, deps: readonly unknown[]): void {
  /** The last request, until its pause is over. `isStale`: a dependency has changed, so the request is repeated. */
  const current = useRef<{ readonly key: string; isStale: boolean } | undefined>(undefined)
  const sendAtPace = async () => {
    const own = { key, isStale: true }
    current.current = own
    do {
      own.isStale = false
      const startedAt = performance.now()
      await send()
      const pauseMs = Math.min(maxPauseMs, (performance.now() - startedAt) * pauseFactor)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    } while (own.isStale && current.current === own && !document.hidden)
    if (current.current === own) current.current = undefined
  }
  useEffect(() => {
    if (current.current?.key === key) current.current.isStale = true
    else void sendAtPace()
  }, [key, ...deps])
  useEffect(
    () => () => {
      current.current = undefined
    },
    [],
  )
}
