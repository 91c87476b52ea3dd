import { type RateLimit, rateHeaders } from '../exchange/rate-headers.ts'
import { refusals } from '../exchange/refusals.ts'
import type { OperationHandlers } from '../operations/index.ts'
import type { Store } from '../state/store.ts'
import { operationOf, type RequestStage, writeContextOf } from './exchange.ts'

/**
 * Refuses requests beyond the plan's limit (docs/service.md, 2.4). It is the last of all refusals, so that only a request that
 * would have been answered consumes rate. `limitOf` returns undefined for a plan without a limit.
 */
export function limitRate(
  store: Store,
  limitOf: (plan: string) => RateLimit | undefined,
  handlers: OperationHandlers,
): RequestStage {
  return function limitRate(exchange) {
    const operation = operationOf(exchange)
    const { caller } = exchange
    const counted = handlers.get(operation.id)?.rateLimit
    if (!caller || !counted) return undefined
    const limit = limitOf(caller.plan)
    if (limit === undefined) return undefined
    const key = `${counted}:${caller.token}`
    return store
      .consumeRate(writeContextOf(exchange), key, limit.quota, limit.windowMs)
      .then(({ allowed, remaining, resetMs }) => {
        Object.assign(exchange.extraHeaders, rateHeaders(limit, remaining, resetMs))
        return allowed ? undefined : refusals.rateLimited(operation, limit, resetMs)
      })
  }
}
