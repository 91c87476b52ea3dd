import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { AnswerOf, Schema } from '../../api/answers.ts'
import { type Asked, ask } from '../../api/ask.ts'
import { sandboxNow } from '../../store/clock.ts'
import { connection, trafficTick } from '../../store/live.ts'
import { changeTick, info, sandboxNames, sandboxSeed } from '../../store/server.ts'
import { usePacedAsking } from '../../store/use-paced-asking.ts'
import { type Figures, readFigures, textOf } from './figures.ts'

/** A question for analytics. */
export interface AnalyticsQuestion {
  readonly model: string
  /** `30d`. */
  readonly period: string
  /** The value of `X-Sim-Scenario`: `declining`; undefined: the header is not sent. */
  readonly scenario: string | undefined
}

/** The path of the service that answers a question, below its base path. */
export const analyticsPathOf = ({ model, period }: AnalyticsQuestion) =>
  `/models/${encodeURIComponent(model)}/analytics?period=${period}`

/** The headers of a question, beside those that every request has. */
export const headersOf = ({ scenario }: AnalyticsQuestion): Record<string, string> =>
  scenario === undefined ? {} : { 'X-Sim-Scenario': scenario }

/**
 * Asks how the service would answer a question in a sandbox, without any effect: at once, when the question changes, while requests are answered,
 * and when the day or the seed of the sandbox changes. The last answer stays until the next has come. `question` undefined: nothing is asked.
 */
export function useAnalytics(
  sandbox: string,
  question: AnalyticsQuestion | undefined,
  headers: Readonly<Record<string, string>> = {},
): Asked<AnswerOf<'/explain', 'post'>> | undefined {
  const asked = useSignal<Asked<Schema<'Explanation'>> | undefined>(undefined)
  const latest = useRef(0)
  const today = new Date(sandboxNow.value).toISOString().slice(0, 10)
  const basePath = info.value?.contract.basePath ?? '/v1'
  const body = question && {
    method: 'GET',
    path: basePath + analyticsPathOf(question),
    headers: { authorization: 'Bearer any-key', ...headersOf(question), ...headers },
  }
  const text = JSON.stringify(body)
  const reload = async () => {
    latest.current += 1
    const turn = latest.current
    const answer =
      text === undefined ? undefined : await ask('post', '/explain', { query: { sandbox }, body: JSON.parse(text) })
    if (turn === latest.current) asked.value = answer
  }
  // A new day or seed makes another question, which is asked at once: the user has mostly just set it.
  const key = JSON.stringify([sandbox, text, today, sandboxSeed.value])
  usePacedAsking(key, reload, [connection.value, changeTick.value, trafficTick.value])
  return asked.value
}

/** Returns the name of a sandbox that nobody uses, so it has no events. Asking about it does not create it. */
function nameUnusedSandbox(): string {
  let name = 'no-events'
  while (sandboxNames.value.includes(name)) name += '-'
  return name
}

/**
 * Asks for the same analytics as if there were no events: in a sandbox that has none, with the seed, the day and the scenario of the answer.
 * `figures` undefined: nothing is asked.
 */
export function useAnalyticsWithoutEvents(
  question: AnalyticsQuestion,
  explanation: Schema<'Explanation'> | undefined,
  figures: Figures | undefined,
): Figures | undefined {
  const scenario = explanation?.scenarios.join(', ') || undefined
  const seed = sandboxSeed.value
  const asked = useAnalytics(
    nameUnusedSandbox(),
    figures && seed !== undefined ? { ...question, scenario } : undefined,
    {
      'X-Sim-Now': textOf(figures?.days.at(-1), 'date'),
      ...(seed !== undefined && { 'X-Sim-Seed': seed }),
    },
  )
  return asked?.ok ? readFigures(asked.value.answer.body) : undefined
}
