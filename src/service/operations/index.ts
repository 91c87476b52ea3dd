/** The service's operations, one file each, and their table. A new one is the document, a file and a line. */
import type { Contract } from '../contract/contract.ts'
import { getModelAnalytics } from './analytics.ts'
import { createEvent } from './events.ts'
import type { OperationDefinition, OperationDeps, OperationHandler } from './handler.ts'
import { createPrompt } from './prompts.ts'

/** The operations that the simulator carries out; it returns any other of a document from its examples. */
export const handledOperations: readonly OperationDefinition[] = [getModelAnalytics, createPrompt, createEvent]

export type OperationHandlers = ReadonlyMap<string, OperationHandler>

/** Creates the handlers of those operations that the contract has; an edited contract may have left some out. */
export function createHandlers(contract: Contract, deps: OperationDeps): OperationHandlers {
  const documented = new Set(contract.operations.map(({ id }) => id))
  return new Map(
    handledOperations
      .filter(({ operationId }) => documented.has(operationId))
      .map(({ createHandle, ...definition }) => [
        definition.operationId,
        { ...definition, handle: createHandle(deps) },
      ]),
  )
}
