import { operationOf, type Stage } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Handler } from '../operations/handler.ts'

/** The model that is asked for must exist: any UUID while `--models open`, a fixture's while `closed`. */
export function checkModelExists(
  isModel: (modelId: string) => boolean,
  handlers: ReadonlyMap<string, Handler>,
): Stage {
  return function subject(exchange) {
    const operation = operationOf(exchange)
    const modelId = handlers.get(operation.id)?.modelOf?.(exchange)
    if (modelId === undefined || isModel(modelId)) return undefined
    return refusals.unknownModel(operation, modelId)
  }
}
