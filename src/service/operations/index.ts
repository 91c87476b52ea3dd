/**
 * `service/operations/`: implements the service's operations, one per file. To add an operation, describe it in
 * `spec/openapi.yaml`, write its file, and list the operation here.
 */
import { getModelAnalytics } from './analytics.ts'
import { createEvent } from './events.ts'
import type { OperationDefinition, OperationDeps, OperationHandler } from './handler.ts'
import { createPrompt } from './prompts.ts'

/** The operations that the simulator implements; all others are served from the contract. */
export const handledOperations: readonly OperationDefinition[] = [getModelAnalytics, createPrompt, createEvent]

export type OperationHandlers = ReadonlyMap<string, OperationHandler>

export function createHandlers(handledIds: ReadonlySet<string>, deps: OperationDeps): OperationHandlers {
  return new Map(
    handledOperations
      .filter(({ operationId }) => handledIds.has(operationId))
      .map(({ createHandle, ...definition }) => [
        definition.operationId,
        { ...definition, handle: createHandle(deps) },
      ]),
  )
}
