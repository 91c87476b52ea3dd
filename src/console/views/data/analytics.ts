import { type Asked, ask, type Schema } from '../../api/ask.ts'
import { trafficTick } from '../../store/live.ts'
import { basePath, sandboxNames, sandboxNow, sandboxSeed } from '../../store/server.ts'
import { type LiveResponse, useAsked } from '../../store/use-response.ts'
import type { CurlRequest } from '../../ui/empty.tsx'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

export const qualityField = 'avgConversationQualityIndex'

export type Numbers = NonNullable<ReturnType<typeof readNumbers>>

/** Reads the body of a response with analytics, which a scenario may have damaged; undefined if it has no days. */
export function readNumbers(response: unknown) {
  const body = objectOf(response)
  const days = body['dataPoints']
  return Array.isArray(days) && days.length > 0 ? { body, days: days.map(objectOf) } : undefined
}

export function readNumber(record: JsonRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

/**
 * Returns the days' quality without events, from the response of a sandbox without events. Undefined if the two
 * responses differ in more than quality, since the difference is then not due to the events alone.
 */
export function compareQuality(numbers: Numbers, without: Numbers | undefined): (number | null)[] | undefined {
  if (!without || withoutQuality(numbers) !== withoutQuality(without)) return undefined
  return without.days.map((day) => readNumber(day, qualityField))
}

const withoutQuality = ({ days }: Numbers) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))

/** Returns the request for the analytics of a model over a period such as `30d`, under a scenario if one is given. */
export const modelRequest = (model: string, period: string, scenario: string | undefined): CurlRequest => ({
  method: 'GET',
  path: `/models/${encodeURIComponent(model)}/analytics?period=${period}`,
  headers: scenario === undefined ? {} : { 'X-Sim-Scenario': scenario },
})

/**
 * Loads how the service would respond to a request in a sandbox, without side effects, and reloads while requests are
 * handled and when the sandbox's day or seed changes. Does nothing without a request.
 */
export function useAnalytics(
  sandbox: string,
  request: CurlRequest | undefined,
): LiveResponse<Schema<'Explanation'> | undefined> {
  const today = new Date(sandboxNow.value).toISOString().slice(0, 10)
  const body = request && {
    ...request,
    path: basePath.value + request.path,
    headers: { authorization: 'Bearer any-key', ...request.headers },
  }
  const explain = async (): Promise<Asked<Schema<'Explanation'> | undefined>> =>
    body ? ask('post', '/explain', { query: { sandbox }, body }) : { value: undefined }
  // The numbers stay until the next ones have loaded, so that the page does not jump.
  const key = JSON.stringify([sandbox, body, today, sandboxSeed.value])
  return useAsked(key, explain, [trafficTick.value], request?.path.replace(/\?.*/, ''))
}

/**
 * Loads the same analytics as if there were no events: from an unused sandbox, which the request does not create, with
 * the seed, day and scenario of the response. Does nothing without numbers.
 */
export function useWithoutEvents(
  request: CurlRequest,
  explanation: Schema<'Explanation'>,
  numbers: Numbers | undefined,
): Numbers | undefined {
  let unused = 'no-events'
  while (sandboxNames.value.includes(unused)) unused += '-'
  const seed = sandboxSeed.value
  const scenario = explanation.scenarios.join(', ')
  const headers = {
    ...(scenario && { 'X-Sim-Scenario': scenario }),
    'X-Sim-Now': textOrEmpty(numbers?.days.at(-1)?.['date']),
    'X-Sim-Seed': seed ?? '',
  }
  const { value } = useAnalytics(unused, numbers && seed !== undefined ? { ...request, headers } : undefined)
  return numbers && readNumbers(value?.response.body)
}
