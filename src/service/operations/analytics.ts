import { dayOf, isoDateOf } from '../../base/core/instant.ts'
import type { Json } from '../../base/core/json.ts'
import { LruCache, memoizeLast } from '../../base/core/memoize.ts'
import type { Store } from '../../state/store.ts'
import { type Body, exactBody, jsonBody } from '../exchange/reply.ts'
import { type DataOverrides, noOverrides } from '../scenarios/definition.ts'
import { overrideFields } from '../scenarios/fields.ts'
import type { AnalyticsQuery, Simulate } from '../simulation/analytics.ts'
import type { OperationDefinition } from './handler.ts'

export const defaultDays = 30

/** Returns the number of days in a period: 7 for `7d`; undefined for other formats, which a contract can allow. */
export const parseDays = memoizeLast((period: unknown): number | undefined => {
  const [, days] = /^([1-9]\d{0,2})d$/.exec(String(period)) ?? []
  return days === undefined ? undefined : Number(days)
})

/** The maximum number of cached responses, each of about 50 kB. The least recently used response is evicted. */
const cacheSize = 100

/**
 * GET /models/{modelId}/analytics (docs/development/service.md, 3): returns a model's metrics for a period. Generated
 * responses depend only on the values in their `cacheKey`, so recent responses are cached under that key.
 */
export const getModelAnalytics: OperationDefinition = {
  operationId: 'getModelAnalytics',
  modelParameter: 'modelId',
  generate: (simulate, query, overrides) => analyticsBody(simulate, { ...query, days: defaultDays }, overrides),
  samples: (simulate) =>
    (['no-null', 'all-null'] as const).map((shape) =>
      analyticsBody(simulate, { modelId: sampleModel, seed: '1', now: 0, days: 7 }, { ...noOverrides, shape }),
    ),
  requires: 'analytics',
  rateLimit: 'analyses',
  createHandle({ simulate, store, productsOfModel, responses }) {
    const exactResponses = new Map(
      responses
        .filter(({ operation }) => operation === getModelAnalytics.operationId)
        .map(({ modelId, period, file, body }) => [`${modelId} ${period}`, { file, body: exactBody(body) }]),
    )
    const cache = new LruCache<Body>(cacheSize)
    return async ({ sandbox, seed, now, parameters, overrides, explain }) => {
      const modelId = String(parameters.path['modelId']).toLowerCase()
      // Data scenarios change only generated numbers, so they rule out an exact response.
      const exact = exactResponses.get(`${modelId} ${parameters.query['period']}`)
      if (exact && overrides === noOverrides) {
        explain(`The response is taken as is from the fixtures: ${exact.file}.`)
        return exact.body
      }
      const numbers = { seed, modelId, days: parseDays(parameters.query['period']) ?? defaultDays, now }
      const products = productsOfModel.get(modelId)
      const shift = products && (await qualityShift(store, sandbox, products, numbers))
      return cache.get(cacheKey(numbers, overrides, shift?.key), () =>
        jsonBody(analyticsBody(simulate, { ...numbers, qualityShift: shift?.forDay }, overrides)),
      )
    }
  },
}

const sampleModel = '00000000-0000-4000-8000-000000000001'

type PeriodQuery = Omit<AnalyticsQuery, 'persona' | 'shape' | 'qualityShift'>

function cacheKey(
  { seed, modelId, days, now }: PeriodQuery,
  { persona, shape, nulls, extreme }: DataOverrides,
  shiftKey: string | undefined,
): string {
  const day = dayOf(now)
  const values = extreme && [extreme.name, ...extreme.fields.map(({ field }) => field)]
  // Only the last part can contain a space, so the key is unambiguous.
  return [days, day, persona, shape, nulls, values, shiftKey, seed, modelId].join(' ')
}

function analyticsBody(
  simulate: Simulate,
  query: Omit<AnalyticsQuery, 'persona' | 'shape'>,
  overrides: DataOverrides,
): Json {
  const { persona, shape } = overrides
  return overrideFields(simulate({ ...query, persona, shape }), overrides)
}

/**
 * Returns the amount by which events for a model's products change each day's conversation quality: the weight in the
 * quality settings times the day's impact; undefined if the period has no such events. Equal `key`s mean equal amounts.
 */
async function qualityShift(store: Store, sandbox: string, productIds: readonly string[], { days, now }: PeriodQuery) {
  const today = dayOf(now)
  const { weight } = await store.getQuality(sandbox)
  const query = { productIds, from: isoDateOfFirstDay(today - days + 1), to: isoDateOfToday(today) }
  const impacts = await store.eventImpact(sandbox, query)
  if (impacts.size === 0) return undefined
  const sums = Array.from(impacts, ([day, { impact }]) => `${day}=${impact}`)
  return { forDay: (day: string) => weight * (impacts.get(day)?.impact ?? 0), key: `${weight}*${sums.join()}` }
}

const isoDateOfFirstDay = memoizeLast(isoDateOf)
const isoDateOfToday = memoizeLast(isoDateOf)
