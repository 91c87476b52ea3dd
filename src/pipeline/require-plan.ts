import { refusals } from '../exchange/refusals.ts'
import type { Plan } from '../fixtures/fixtures.ts'
import type { OperationHandlers } from '../operations/index.ts'
import { operationOf, type RequestStage } from './exchange.ts'

/** Refuses callers whose plan lacks a feature that the operation requires. docs/service.md, 2.2: analytics needs Growth or higher. */
export function requirePlan(plans: readonly Plan[], handlers: OperationHandlers): RequestStage {
  const namesByFeature = {
    analytics: plans.filter(({ analytics }) => analytics).map(({ name }) => name),
  }
  return function requirePlan(exchange) {
    const operation = operationOf(exchange)
    const { caller } = exchange
    const feature = handlers.get(operation.id)?.requires
    if (!caller || !feature) return undefined
    const including = namesByFeature[feature]
    return including.includes(caller.plan) ? undefined : refusals.plan(operation, caller.plan, including)
  }
}
