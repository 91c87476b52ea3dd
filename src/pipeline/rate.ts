import { operationOf, type Stage, writeContextOf } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Handler } from '../operations/handler.ts'
import { rateHeaders } from '../scenarios/refusals.ts'
import type { Store } from '../state/store.ts'

const hour = 3_600_000

/**
 * service.md, "Limits": analyses an hour, by the plan. Comes last of all refusals, so that only a request that would
 * have been answered uses up rate. A limit of undefined is none.
 */
export function limitRate(
  store: Store,
  limitOf: (plan: string) => number | undefined,
  handlers: ReadonlyMap<string, Handler>,
): Stage {
  return function rate(exchange) {
    const operation = operationOf(exchange)
    const { caller } = exchange
    if (!caller || !handlers.get(operation.id)?.metered) return undefined
    const limit = limitOf(caller.plan)
    if (limit === undefined) return undefined
    return store
      .consumeRate(writeContextOf(exchange), `analyses:${caller.token}`, limit, hour)
      .then((taken) => {
        Object.assign(exchange.extraHeaders, rateHeaders(limit, taken.remaining, taken.resetMs))
        return taken.allowed ? undefined : refusals.rateLimited(operation, limit, taken.resetMs)
      })
  }
}
