/** The service's operations, one file each, and their list. A new one needs a document entry, a file and a line. */
import { getModelAnalytics } from './analytics.ts'
import { createEvent } from './events.ts'
import type { OperationDefinition, OperationDeps, OperationHandler } from './handler.ts'
import { createPrompt } from './prompts.ts'

/** The operations that the simulator implements; any other is served from its document. */
export const handledOperations: readonly OperationDefinition[] = [getModelAnalytics, createPrompt, createEvent]

export type OperationHandlers = ReadonlyMap<string, OperationHandler>

export function createHandlers(handled: ReadonlySet<string>, deps: OperationDeps): OperationHandlers {
  return new Map(
    handledOperations
      .filter(({ operationId }) => handled.has(operationId))
      .map(({ createHandle, ...definition }) => [
        definition.operationId,
        { ...definition, handle: createHandle(deps) },
      ]),
  )
}
