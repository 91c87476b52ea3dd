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
 * Asks the control plane for as long as a component is shown: at once, when the question changes, after each new
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
 * Asks a question at once, and asks it again when one of the reasons has changed. The last response stays until the
 * next has come, unless it belongs to another subject; without a subject, each question is one.
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

/** The rest after a response, as a multiple of its time. One page then takes at most a tenth of the server's time. */
const restFactor = 9

/** Milliseconds of the longest rest: a list is not older than this and the time that it takes to read. */
const maxRestMs = 5_000

/**
 * Asks at once, and again when one of the reasons has changed, for as long as a component is shown. One question is
 * under way at a time. The rest after it grows with its cost, since otherwise the server would be busy with this page
 * alone. A page that is hidden asks nothing: it is given a reason when it is shown again and has connected again.
 *
 * `key`: the question. Another question is asked at once; `ask` belongs to the key. `reasons`: as many at each drawing.
 */
export function usePacedAsking(key: string, ask: () => Promise<void>, reasons: readonly unknown[]): void {
  /** The asking that is under way, and whether something has happened since, so that the response will be old. */
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
