import { type ApiResult, call, type Schema } from '../../api/call.ts'
import { trafficTick } from '../../store/live.ts'
import { basePath, sandboxNames, sandboxNow, sandboxSeed } from '../../store/server.ts'
import { type LiveResponse, useLiveRequest } from '../../store/use-response.ts'
import type { CurlRequest } from '../../ui/empty.tsx'
import { type JsonRecord, objectOf, textOrEmpty } from '../../ui/text.tsx'

export const qualityField = 'avgConversationQualityIndex'

export type Numbers = NonNullable<ReturnType<typeof readNumbers>>

/** Reads an analytics body, which a scenario may have damaged. Returns undefined if the body has no days. */
export function readNumbers(value: unknown) {
  const body = objectOf(value)
  const days = body['dataPoints']
  return Array.isArray(days) && days.length > 0 ? { body, days: days.map(objectOf) } : undefined
}

export function readNumber(record: JsonRecord, field: string): number | null {
  const value = record[field]
  return typeof value === 'number' ? value : null
}

/**
 * Returns each day's quality in `eventless`, the analytics without events; undefined if `eventless` is missing or its
 * days differ from those of `numbers` in a field other than the quality, which is the only field that events change.
 */
export function baselineOf(numbers: Numbers, eventless: Numbers | undefined): (number | null)[] | undefined {
  if (!eventless || withoutQuality(numbers) !== withoutQuality(eventless)) return undefined
  return eventless.days.map((day) => readNumber(day, qualityField))
}

const withoutQuality = ({ days }: Numbers) => JSON.stringify(days.map((day) => ({ ...day, [qualityField]: undefined })))

export const modelRequest = (model: string, period: string, scenario: string | undefined): CurlRequest => ({
  method: 'GET',
  path: `/models/${encodeURIComponent(model)}/analytics?period=${period}`,
  headers: scenario === undefined ? {} : { 'X-Sim-Scenario': scenario },
})

/**
 * Loads the response that a request would get in a sandbox, with an explanation. Reloads when requests arrive or are
 * deleted, and when the selected sandbox's data, date or seed changes. Does nothing if `request` is undefined.
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
  const explain = async (): Promise<ApiResult<Schema<'Explanation'> | undefined>> =>
    body ? call('post', '/explain', { query: { sandbox }, body }) : { value: undefined }
  const key = JSON.stringify([sandbox, body, today, sandboxSeed.value])
  // The subject is the path without its query, so the old numbers stay visible while, say, a different period loads.
  return useLiveRequest(key, explain, [trafficTick.value], request?.path.replace(/\?.*/, ''))
}

/**
 * Loads the analytics that the request would get without events, by explaining the request in an unused sandbox. The
 * seed, day and scenarios are those of the original response. Does nothing until the numbers and the seed are known.
 */
export function useEventlessNumbers(
  request: CurlRequest,
  explanation: Schema<'Explanation'>,
  numbers: Numbers | undefined,
): Numbers | undefined {
  let unusedName = 'no-events'
  while (sandboxNames.value.includes(unusedName)) unusedName += '-'
  const seed = sandboxSeed.value
  const scenario = explanation.scenarios.join(', ')
  const headers = {
    ...(scenario && { 'X-Sim-Scenario': scenario }),
    'X-Sim-Now': textOrEmpty(numbers?.days.at(-1)?.['date']),
    'X-Sim-Seed': seed ?? '',
  }
  const { value } = useAnalytics(unusedName, numbers && seed !== undefined ? { ...request, headers } : undefined)
  return numbers && readNumbers(value?.response.body)
}
