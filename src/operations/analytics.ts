import { type Awaitable, andThen } from '../core/awaitable.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { LruCache } from '../core/lru-cache.ts'
import { dayOf, nameOfDay } from '../core/utc-day.ts'
import { type Exchange, parametersOf } from '../exchange/exchange.ts'
import type { AnalyticsQuery, World } from '../simulation/analytics.ts'
import type { Store } from '../state/store.ts'
import type { Handler, OperationResult } from './handler.ts'

const standardDays = 30

/** `7d` is 7. The document says which periods there are; one that cannot be read as days is as long as the standard one. */
function daysOf(period: unknown): number {
  const [, days] = /^([1-9]\d{0,2})d$/.exec(String(period)) ?? []
  return days === undefined ? standardDays : Number(days)
}

/**
 * GET /models/{modelId}/analytics (service.md, "Endpoints"): the model's figures over the period. An answer is a function
 * of what `keyOf` names, so it is remembered under that: `cacheSize` of them, 0 for none.
 */
export function getModelAnalytics(
  world: World,
  store: Store,
  productsOfModel: ReadonlyMap<string, readonly string[]>,
  cacheSize: number,
): Handler {
  const remembered = new LruCache<OperationResult>(cacheSize)
  const answer = (asked: Asked, shaping: Shaping, shift: Shift | undefined): OperationResult =>
    remembered.get(keyOf(asked, shaping, shift), () => ({
      body: analyticsBody(world, { ...asked, qualityShift: shift?.of }, shaping),
      cached: { bytes: undefined, fits: undefined },
    }))
  return {
    operationId: 'getModelAnalytics',
    metered: true,
    modelOf: (exchange) => String(parametersOf(exchange).path['modelId']),
    handle(exchange) {
      const { path, query } = parametersOf(exchange)
      const modelId = String(path['modelId']).toLowerCase()
      const asked = { seed: exchange.seed, modelId, days: daysOf(query['period']), now: exchange.now }
      const products = productsOfModel.get(modelId)
      if (!products) return answer(asked, exchange.dataOverrides, undefined)
      return andThen(shiftBy(store, exchange.sandbox.name, products, asked), (shift) =>
        answer(asked, exchange.dataOverrides, shift),
      )
    },
  }
}

type Asked = Omit<AnalyticsQuery, 'persona' | 'shape' | 'qualityShift'>
type Shaping = Exchange['dataOverrides']

/** Everything that an answer depends on. Of the time it is the day alone. */
function keyOf(
  { seed, modelId, days, now }: Asked,
  { persona, shape, nulls }: Shaping,
  shift: Shift | undefined,
): string {
  const day = dayOf(now)
  return [days, day, persona, shape, nulls, shift?.key, seed, modelId].join(' ') // only the last may have a space
}

/** The answer of 200, bent as the data family of scenarios has it. Nobody else holds it. */
export function analyticsBody(
  world: World,
  wanted: Omit<AnalyticsQuery, 'persona' | 'shape'>,
  { persona, shape, nulls }: Shaping,
): Json {
  const analytics = world.analytics({ ...wanted, persona, shape })
  return withNulls(analytics as unknown as JsonObject, nulls) // an interface, of JSON through and through
}

/** What the events of a model's products do to each day's conversation quality. */
interface Shift {
  readonly of: NonNullable<AnalyticsQuery['qualityShift']>
  /** The same for the same shift of every day. */
  readonly key: string
}

/** The weight of the sandbox's quality settings times the sum of the day's impacts. Undefined where there is nothing to do. */
function shiftBy(
  store: Store,
  sandbox: string,
  productIds: readonly string[],
  { days, now }: Pick<AnalyticsQuery, 'days' | 'now'>,
): Awaitable<Shift | undefined> {
  const today = dayOf(now)
  const bounds = { from: dayName(today - days + 1), to: dayName(today) }
  return andThen(store.eventImpact(sandbox, { productIds, ...bounds }), (impacts) => {
    if (impacts.size === 0) return undefined
    const sums = Array.from(impacts, ([day, { impact }]) => `${day}=${impact}`)
    return andThen(store.getQuality(sandbox), ({ weight }) => ({
      of: (day) => weight * (impacts.get(day)?.impact ?? 0),
      key: `${weight}*${sums.join()}`,
    }))
  })
}

/** The names of days that were asked for: today, and where its periods began. */
const dayNames = new LruCache<string>(100)

/** `2026-01-15` of a day since 1970. */
function dayName(day: number): string {
  return dayNames.get(String(day), () => nameOfDay(day))
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
