import { type Asked, ask, type Schema } from '../../api/ask.ts'
import { trafficTick } from '../../store/live.ts'
import { info, sandboxNames, sandboxNow, sandboxSeed } from '../../store/server.ts'
import { type LiveAnswer, useAsked } from '../../store/use-answer.ts'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

/** The measure that events change. */
export const qualityField = 'avgConversationQualityIndex'

/** The body of an answer with analytics, which a scenario may have damaged. */
export interface Figures {
  readonly body: JsonRecord
  readonly days: readonly JsonRecord[]
}

/** Returns the body of an answer as figures, or undefined if it has no list of days. */
export function readFigures(answer: unknown): Figures | undefined {
  const body = objectOf(answer)
  const days = body['dataPoints']
  return Array.isArray(days) && days.length > 0 ? { body, days: days.map(objectOf) } : undefined
}

/** Returns a member that should be a number, or null. */
export function readNumber(record: JsonRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

/** Formats a score with four decimals at most: `0.6497`. */
export const formatScore = (value: number): string => String(Math.round(value * 10_000) / 10_000)

/**
 * Returns the days' quality without events, from the answer of a sandbox that has none. Undefined if the two answers
 * differ in more than quality, so that the difference is not that of the events alone.
 */
export function compareQuality(figures: Figures, without: Figures | undefined): (number | null)[] | undefined {
  if (!without || withoutQuality(figures) !== withoutQuality(without)) return undefined
  return without.days.map((day) => readNumber(day, qualityField))
}

const withoutQuality = ({ days }: Figures) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))

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
