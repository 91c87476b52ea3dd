import { parametersOf } from '../exchange.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { World } from '../simulation/analytics.ts'
import type { Handler } from './handler.ts'

const daysOf = { '7d': 7, '30d': 30, '90d': 90 } as const

/** GET /models/{modelId}/analytics (service.md, "Endpoints"): the model's figures over the period. */
export function getModelAnalytics(world: World): Handler {
  return {
    operationId: 'getModelAnalytics',
    metered: true,
    modelOf: (exchange) => String(parametersOf(exchange).path['modelId']),
    handle(exchange) {
      const { path, query } = parametersOf(exchange)
      const { persona, shape, nulls } = exchange.shaping
      const analytics = world.analytics({
        seed: exchange.seed,
        modelId: String(path['modelId']).toLowerCase(),
        days: daysOf[query['period'] as keyof typeof daysOf],
        now: exchange.now,
        persona,
        shape,
      })
      const answer = analytics as unknown as JsonObject // an interface, of JSON through and through
      return nulls.length === 0 ? answer : withNulls(structuredClone(answer), nulls)
    },
  }
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
