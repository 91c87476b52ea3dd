import type { JsonObject } from '../../core/json.ts'
import type { ChangeList } from './change.ts'

/** An operation of a document. */
export interface FoundOperation {
  /** `GET /models/{modelId}`. */
  readonly name: string
  /** The `operationId`; without one, the name. */
  readonly id: string
  /** The pointers of the path item and of the operation. */
  readonly item: string
  readonly pointer: string
  readonly value: JsonObject
}

/** The two documents with an operation that both have. */
export interface OperationPair {
  readonly old: JsonObject
  readonly new: JsonObject
  readonly before: FoundOperation
  readonly after: FoundOperation
  readonly changes: ChangeList
}
