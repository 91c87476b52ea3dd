import type { OperationContext } from '../operations/handler.ts'
import type { Exchange } from './exchange.ts'

/** Returns the part of an exchange that a handler sees; only for an exchange that `validate` let through. */
export function operationContext(exchange: Exchange): OperationContext {
  const { sandbox, seed, now, parameters, body, dataOverrides } = exchange
  if (!parameters) throw new Error('a handler needs the parameters before validate has read them')
  return {
    sandbox: sandbox.name,
    seed,
    now,
    parameters,
    body,
    overrides: dataOverrides,
    markDropped() {
      exchange.isDropped = true
    },
    explain(reason) {
      exchange.trace?.decisions.push(reason)
    },
    warn(advice) {
      exchange.advice = [...exchange.advice, advice]
    },
  }
}
