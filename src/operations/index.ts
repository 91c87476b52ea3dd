/** The service's operations, one file each, and the table of handlers. A new one is the document, a file and a line. */
import type { Contract } from '../contract/contract.ts'
import type { World } from '../simulation/analytics.ts'
import type { Store } from '../state/store.ts'
import { analyticsDeclaration, getModelAnalytics } from './analytics.ts'
import { createEvent, eventDeclaration } from './events.ts'
import type { OperationAnswer, OperationDeclaration, OperationHandler } from './handler.ts'
import { createPrompt, promptDeclaration } from './prompts.ts'

/** The things that handlers work with. */
export interface OperationDeps {
  readonly contract: Contract
  readonly world: World
  readonly store: Store
  /** Ids of the products that each model belongs to, by the model's id; both in lower case. */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** The exact answers of the fixtures. */
  readonly answers: readonly OperationAnswer[]
}

/** The declarations of all handlers. */
export const declarations: readonly OperationDeclaration[] = [analyticsDeclaration, promptDeclaration, eventDeclaration]

/** The most analytics answers that are cached, about 50 kB each; beyond it the least recently used are evicted. */
const cacheSize = 100

/** Handlers by `operationId`. */
export type OperationHandlers = ReadonlyMap<string, OperationHandler>

/** Creates the handlers of those operations that the contract has; an edited contract may have left some out. */
export function createHandlers({ contract, world, store, productsOfModel, answers }: OperationDeps): OperationHandlers {
  const handlers = [
    getModelAnalytics({ world, store, productsOfModel, answers, cacheSize }),
    createPrompt(store),
    createEvent(store),
  ]
  const documented = new Set(contract.operations.map(({ id }) => id))
  return new Map(
    handlers.filter(({ operationId }) => documented.has(operationId)).map((handler) => [handler.operationId, handler]),
  )
}
