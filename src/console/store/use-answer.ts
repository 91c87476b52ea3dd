import { useSignal } from '@preact/signals'
import { useCallback, useRef } from 'preact/hooks'
import type { AnswerOf, ControlPath, QueryOf } from '../api/answers.ts'
import { ask, type Problem } from '../api/ask.ts'
import { connection, trafficTick } from './live.ts'
import { changeTick } from './server.ts'
import { usePacedAsking } from './use-paced-asking.ts'

/** An answer of the control plane that a component shows. */
export interface LiveAnswer<Value> {
  /** The newest answer to the current question; undefined: none yet. */
  readonly value: Value | undefined
  /** The reason why there is no newer answer; undefined: there is none. */
  readonly problem: Problem | undefined
  /** Asks again, after a change for example. */
  readonly reload: () => Promise<void>
}

/** The question of `useAnswer`. */
export interface LiveQuestion<Path extends ControlPath> {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Path, 'get'>
  /** True: it is asked again while requests are answered, at most once a second and the more seldom the longer the answer takes. */
  readonly followsTraffic?: boolean
}

/**
 * Asks the control plane for as long as a component is shown: at once, when the question changes, after each new connection to the server, and
 * when another client has changed the sandbox.
 * The last answer stays until the next has come; an answer to another question (of another sandbox, for example) is never shown.
 */
export function useAnswer<Path extends ControlPath>(
  path: Path,
  { path: names, query, followsTraffic = false }: LiveQuestion<Path> = {},
): LiveAnswer<AnswerOf<Path, 'get'>> {
  const key = JSON.stringify([path, names, query])
  const state = useSignal<{ key: string; value?: AnswerOf<Path, 'get'>; problem?: Problem }>({ key })
  const latest = useRef(0)
  // The key stands for these, which are new objects at each drawing.
  const question = useRef({ names, query })
  question.current = { names, query }
  const reload = useCallback(async () => {
    latest.current += 1
    const turn = latest.current
    const { names, query } = question.current
    const asked = await ask('get', path, { ...(names && { path: names }), ...(query && { query }) })
    if (turn !== latest.current) return
    if (asked.ok) state.value = { key, value: asked.value }
    else state.value = { ...(state.peek().key === key ? state.peek() : { key }), problem: asked.problem }
  }, [key, path, state])
  const reasons = [connection.value, changeTick.value, followsTraffic ? trafficTick.value : 0]
  usePacedAsking(key, reload, reasons)
  const current = state.value.key === key ? state.value : undefined
  return { value: current?.value, problem: current?.problem, reload }
}
