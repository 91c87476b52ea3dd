import type { Schema } from '../../api/answers.ts'
import { type Asked, ask } from '../../api/ask.ts'
import { sandboxNow } from '../../store/clock.ts'
import { trafficTick } from '../../store/live.ts'
import { info, sandboxNames, sandboxSeed } from '../../store/server.ts'
import { type LiveAnswer, useAsked } from '../../store/use-answer.ts'
import { textOrEmpty } from '../../ui/text.ts'
import { type Figures, readFigures } from './figures.ts'

/** A question for analytics. */
export interface AnalyticsQuestion {
  readonly model: string
  /** `30d`. */
  readonly period: string
  /** The value of `X-Sim-Scenario`, or undefined if the header is not sent. */
  readonly scenario: string | undefined
}

/** The path of the service that answers a question, below its base path. */
export const analyticsPathOf = ({ model, period }: AnalyticsQuestion) =>
  `/models/${encodeURIComponent(model)}/analytics?period=${period}`

/** The headers of a question, beside those that every request has. */
export const headersOf = ({ scenario }: AnalyticsQuestion): Record<string, string> =>
  scenario === undefined ? {} : { 'X-Sim-Scenario': scenario }

/**
 * Asks how the service would answer a question in a sandbox, without any effect, and again while requests are answered
 * and when the day or the seed of the sandbox changes. Asks nothing without a question.
 */
export function useAnalytics(
  sandbox: string,
  question: AnalyticsQuestion | undefined,
  headers: Readonly<Record<string, string>> = {},
): LiveAnswer<Schema<'Explanation'> | undefined> {
  const today = new Date(sandboxNow.value).toISOString().slice(0, 10)
  const body = question && {
    method: 'GET',
    path: (info.value?.contract.basePath ?? '/v1') + analyticsPathOf(question),
    headers: { authorization: 'Bearer any-key', ...headersOf(question), ...headers },
  }
  const explain = async (): Promise<Asked<Schema<'Explanation'> | undefined>> =>
    body ? ask('post', '/explain', { query: { sandbox }, body }) : { ok: true, value: undefined }
  // The figures stay until those of another day, seed or period have come, so that the page does not jump.
  const key = JSON.stringify([sandbox, body, today, sandboxSeed.value])
  return useAsked(key, explain, [trafficTick.value], question?.model ?? '')
}

/**
 * Asks for the same analytics as if there were no events: in a sandbox that nobody uses, which asking does not create,
 * with the seed, the day and the scenario of the answer. Asks nothing without figures.
 */
export function useAnalyticsWithoutEvents(
  question: AnalyticsQuestion,
  explanation: Schema<'Explanation'>,
  figures: Figures | undefined,
): Figures | undefined {
  let unused = 'no-events'
  while (sandboxNames.value.includes(unused)) unused += '-'
  const seed = sandboxSeed.value
  const scenario = explanation.scenarios.join(', ') || undefined
  const { value } = useAnalytics(unused, figures && seed !== undefined ? { ...question, scenario } : undefined, {
    'X-Sim-Now': textOrEmpty(figures?.days.at(-1)?.['date']),
    'X-Sim-Seed': seed ?? '',
  })
  return figures && readFigures(value?.answer.body)
}
