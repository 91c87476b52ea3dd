import { operationOf, type Stage } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Plan } from '../fixtures/fixtures.ts'
import type { Handler } from '../operations/handler.ts'

/** service.md, "Endpoints": analytics requires the Growth plan or higher, otherwise 403. */
export function requirePlan(plans: readonly Plan[], handlers: ReadonlyMap<string, Handler>): Stage {
  const including = plans.filter((plan) => plan.analytics).map((plan) => plan.name)
  return function plan(exchange) {
    const operation = operationOf(exchange)
    const { caller } = exchange
    if (!caller || !handlers.get(operation.id)?.metered || including.includes(caller.plan)) return undefined
    return refusals.plan(operation, caller.plan, including)
  }
}
