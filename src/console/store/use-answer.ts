import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AnswerOf, ControlPath, QueryOf } from '../api/answers.ts'
import { type Asked, ask, type Problem } from '../api/ask.ts'
import { connection, trafficTick } from './live.ts'
import { changeTick } from './server.ts'

/** An answer of the control plane that a component shows. */
export interface LiveAnswer<Value> {
  /** The newest answer to the current question; undefined if none has come yet. */
  readonly value: Value | undefined
  /** The reason why there is no newer answer, or undefined. */
  readonly problem: Problem | undefined
  /** Asks again, after a change for example. */
  readonly reload: () => Promise<void>
}

/** The question of `useAnswer`. */
interface LiveQuestion<Path extends ControlPath> {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, 'get'>
  /** True if it is asked again while requests are answered. */
  readonly followsTraffic?: boolean
}

/**
 * Asks the control plane for as long as a component is shown: at once, when the question changes, after each new
 * connection to the server, and when another client has changed the sandbox.
 */
export function useAnswer<Path extends ControlPath>(
  path: Path,
  { path: names, query, followsTraffic = false }: LiveQuestion<Path> = {},
): LiveAnswer<AnswerOf<Path, 'get'>> {
  const question = () => ask('get', path, { ...(names && { path: names }), ...(query && { query }) })
  return useAsked(JSON.stringify([path, names, query]), question, [followsTraffic ? trafficTick.value : 0])
}

/** The rest after an answer is this multiple of its time: a page takes at most a tenth of the server's time. */
const restFactor = 9

/** Milliseconds of the longest rest. */
const maxRestMs = 30_000

/**
 * Asks a question at once, and asks it again when one of the reasons has changed. The last answer stays until the next
 * has come, unless it belongs to another subject; without a subject, each question is one. One question is under way
 * at a time, and a hidden page asks nothing: it connects anew when it is shown again.
 */
export function useAsked<Value>(
  key: string,
  question: () => Promise<Asked<Value>>,
  reasons: readonly unknown[],
  subject = key,
): LiveAnswer<Value> {
  const state = useSignal<Partial<LiveAnswer<Value>> & { subject: string }>({ subject })
  const latest = useRef({ subject, question, turn: 0, isStale: false, asking: '' })
  const current = Object.assign(latest.current, { subject, question })
  const reload = async () => {
    const turn = ++current.turn
    const { subject } = current
    const asked = await current.question()
    if (turn !== current.turn) return
    const shown = state.peek().subject === subject ? state.peek().value : undefined
    state.value = { subject, ...(asked.ok ? { value: asked.value } : { value: shown, problem: asked.problem }) }
  }
  const askAtPace = async () => {
    current.asking = key
    do {
      current.isStale = false
      const startedAt = performance.now()
      await reload()
      const restMs = Math.min(maxRestMs, (performance.now() - startedAt) * restFactor)
      await new Promise((resolve) => setTimeout(resolve, restMs))
    } while (current.isStale && current.asking === key && !document.hidden)
    if (current.asking === key) current.asking = ''
  }
  useEffect(() => {
    if (current.asking === key) current.isStale = true
    else void askAtPace()
  }, [key, connection.value, changeTick.value, ...reasons])
  useEffect(
    () => () => {
      current.asking = ''
    },
    [],
  )
  const { value, problem } = state.value.subject === subject ? state.value : {}
  return { value, problem, reload }
}
