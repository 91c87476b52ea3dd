import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Asked, ask, type ControlPath, type Problem, type QueryOf, type ResponseOf } from '../api/ask.ts'
import { connection, trafficTick } from './live.ts'
import { revisions } from './server.ts'

export interface LiveResponse<Value> {
  readonly value: Value | undefined
  readonly problem: Problem | undefined
  readonly reload: () => Promise<void>
}

interface LiveQuestion<Path extends ControlPath> {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, 'get'>
  readonly followsTraffic?: boolean
}

/**
 * Requests data from the control plane while a component is mounted: at once, when the request changes, after each new
 * connection to the server, and when another client has changed the sandbox.
 */
export function useResponse<Path extends ControlPath>(
  path: Path,
  { followsTraffic = false, ...options }: LiveQuestion<Path> = {},
): LiveResponse<ResponseOf<Path, 'get'>> {
  const question = () => ask('get', path, options)
  return useAsked(JSON.stringify([path, options]), question, [followsTraffic ? trafficTick.value : 0])
}

/**
 * Sends a request at once, and again when one of the reasons has changed. The last response stays until the next
 * arrives, unless it belongs to another subject; by default, each request is a subject.
 */
export function useAsked<Value>(
  key: string,
  question: () => Promise<Asked<Value>>,
  reasons: readonly unknown[] = [],
  subject = key,
): LiveResponse<Value> {
  const state = useSignal<Partial<LiveResponse<Value>> & { subject: string }>({ subject })
  const latest = useRef({ subject, question, turn: 0 })
  const current = Object.assign(latest.current, { subject, question })
  const reload = async () => {
    const turn = ++current.turn
    const { subject } = current
    const asked = await current.question()
    if (turn !== current.turn) return
    const shown = state.peek().subject === subject ? state.peek().value : undefined
    state.value = { value: shown, ...asked, subject }
  }
  usePacedAsking(key, reload, [connection.value, revisions.value, ...reasons])
  const { value, problem } = state.value.subject === subject ? state.value : {}
  return { value, problem, reload }
}

/** The pause after a response, as a multiple of its duration: a page takes at most a tenth of the server's time. */
const restFactor = 9

/** The maximum pause, milliseconds. A list is never older than this plus its loading time. */
const maxRestMs = 5_000

/**
 * Sends a request at once, and again when one of the reasons has changed, while a component is mounted. One request is
 * in flight at a time. The pause after it grows with its cost, to keep the server's load low. A hidden page sends
 * nothing until it is shown and has reconnected. `key` identifies the request; another one is sent at once. `reasons`
 * must have the same length at each render.
 */
export function usePacedAsking(key: string, ask: () => Promise<void>, reasons: readonly unknown[]): void {
  /** The request in flight. `isStale`: something has changed since, so its response will be outdated. */
  const current = useRef<{ readonly key: string; isStale: boolean } | undefined>(undefined)
  const askAtPace = async () => {
    const mine = { key, isStale: true }
    current.current = mine
    do {
      mine.isStale = false
      const startedAt = performance.now()
      await ask()
      const restMs = Math.min(maxRestMs, (performance.now() - startedAt) * restFactor)
      await new Promise((resolve) => setTimeout(resolve, restMs))
    } while (mine.isStale && current.current === mine && !document.hidden)
    if (current.current === mine) current.current = undefined
  }
  useEffect(() => {
    if (current.current?.key === key) current.current.isStale = true
    else void askAtPace()
  }, [key, ...reasons])
  useEffect(
    () => () => {
      current.current = undefined
    },
    [],
  )
}
