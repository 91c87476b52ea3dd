import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiResult, type ControlPath, call, type Problem, type QueryOf, type ResponseOf } from '../api/call.ts'
import { connection, trafficTick } from './live.ts'
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
 * the page reconnects, a control-plane client changes the sandbox's data or, with `followsTraffic`, requests arrive.
 */
export function useResponse<Path extends ControlPath>(
  path: Path,
  { followsTraffic = false, ...options }: LiveRequestOptions<Path> = {},
): LiveResponse<ResponseOf<Path, 'get'>> {
  const request = () => call('get', path, options)
  return useLiveRequest(JSON.stringify([path, options]), request, [followsTraffic ? trafficTick.value : 0])
}

/**
 * Sends a request immediately, and again when the key, the connection, the sandbox's data or one of `reasons` changes.
 * The last response is kept until the next one arrives, unless `subject` (by default, the key) has changed.
 */
export function useLiveRequest<Value>(
  key: string,
  request: () => Promise<ApiResult<Value>>,
  reasons: readonly unknown[] = [],
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
  usePacedRequests(key, reload, [connection.value, revisions.value, ...reasons])
  const { value, problem } = state.value.subject === subject ? state.value : {}
  return { value, problem, reload }
}

/** The pause as a multiple of the response time: a fast request is then in flight at most a tenth of the time. */
const pauseFactor = 9

/** The maximum pause after a slow response, in milliseconds. */
const maxPauseMs = 5_000

/**
 * Sends a request immediately, and again when one of `reasons` changes, while a component is mounted. Only one request
 * is in flight at a time. The pause after a request grows with its duration, to limit the load on the server. A hidden
 * page sends nothing until it is visible and has reconnected. `key` identifies the request; a request with another key
 * does not wait. `reasons` must have the same length in every render.
 */
export function usePacedRequests(key: string, send: () => Promise<void>, reasons: readonly unknown[]): void {
  /** The request in flight. `isStale`: something has changed since it was sent, so its response will be outdated. */
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
  }, [key, ...reasons])
  useEffect(
    () => () => {
      current.current = undefined
    },
    [],
  )
}
