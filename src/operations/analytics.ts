import { type Exchange, parametersOf } from '../exchange.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { AnalyticsQuery, World } from '../simulation/analytics.ts'
import type { Store } from '../state/store.ts'
import type { Handler } from './handler.ts'

const standardDays = 30

/** `7d` is 7. The document says which periods there are; one that cannot be read as days is as long as the standard one. */
function daysOf(period: unknown): number {
  const [, days] = /^([1-9]\d{0,2})d$/.exec(String(period)) ?? []
  return days === undefined ? standardDays : Number(days)
}

/** GET /models/{modelId}/analytics (service.md, "Endpoints"): the model's figures over the period. */
export function getModelAnalytics(
  world: World,
  store: Store,
  productsOfModel: ReadonlyMap<string, readonly string[]>,
): Handler {
  return {
    operationId: 'getModelAnalytics',
    metered: true,
    modelOf: (exchange) => String(parametersOf(exchange).path['modelId']),
    async handle(exchange) {
      const { path, query } = parametersOf(exchange)
      const modelId = String(path['modelId']).toLowerCase()
      const period = { days: daysOf(query['period']), now: exchange.now }
      const productIds = productsOfModel.get(modelId) ?? []
      const qualityShift = await shiftBy(store, exchange.sandbox.name, productIds, period)
      return figures(world, { seed: exchange.seed, modelId, ...period, qualityShift }, exchange.shaping)
    },
  }
}

/** The answer of 200, bent as the data family of scenarios has it. */
export function figures(
  world: World,
  wanted: Omit<AnalyticsQuery, 'persona' | 'shape'>,
  { persona, shape, nulls }: Exchange['shaping'],
): Json {
  const analytics = world.analytics({ ...wanted, persona, shape })
  const answer = analytics as unknown as JsonObject // an interface, of JSON through and through
  return nulls.length === 0 ? answer : withNulls(structuredClone(answer), nulls)
}

/**
 * What the events of the model's products do to each day's conversation quality: the weight of the sandbox's quality
 * settings times the sum of the day's impacts. Undefined where there is nothing to do.
 */
async function shiftBy(
  store: Store,
  sandbox: string,
  productIds: readonly string[],
  { days, now }: Pick<AnalyticsQuery, 'days' | 'now'>,
): Promise<AnalyticsQuery['qualityShift']> {
  if (productIds.length === 0) return undefined
  const bounds = { from: dayOf(now - (days - 1) * dayMs), to: dayOf(now) }
  const impacts = await store.eventImpact(sandbox, { productIds, ...bounds })
  if (impacts.size === 0) return undefined
  const { weight } = await store.getQuality(sandbox)
  return (day) => weight * (impacts.get(day)?.impact ?? 0)
}

const dayMs = 86_400_000

/** The UTC day of an instant: `2026-01-15`. */
function dayOf(instant: number): string {
  return new Date(instant).toISOString().replace(/T.*/, '')
}

/** Sets the named fields to null: `avgSafetyScore`, and `dataPoints.avgSafetyScore` in every data point. */
function withNulls(answer: JsonObject, fields: readonly string[]): Json {
  for (const field of fields) {
    const [outer = '', inner] = field.split('.')
    const items = answer[outer]
    if (inner === undefined) answer[outer] = null
    else if (Array.isArray(items)) for (const item of items) if (isObject(item)) item[inner] = null
  }
  return answer
}
