import { refusals } from '../exchange/refusals.ts'
import type { OperationHandlers } from '../operations/index.ts'
import { operationContext, operationOf, type RequestStage } from './exchange.ts'

/** Refuses requests for a model that does not exist: any UUID exists with `--models open`, only a fixture's with `closed`. */
export function checkModelExists(
  isModel: (modelId: string) => boolean,
  handlers: OperationHandlers,
): RequestStage {
  return function checkModelExists(exchange) {
    const operation = operationOf(exchange)
    const modelId = handlers.get(operation.id)?.modelOf?.(operationContext(exchange))
    if (modelId === undefined || isModel(modelId)) return undefined
    return refusals.unknownModel(operation, modelId)
  }
}
