import type { Awaitable } from '../core/awaitable.ts'
import type { Json } from '../core/json.ts'
import type { Violation } from '../documents/violation.ts'
import type { CachedBody, Exchange } from '../exchange/exchange.ts'

/** What an operation answers with its documented success status. */
export interface OperationResult {
  readonly body: Json
  /** Of a body that is kept and given out again. */
  readonly cached?: CachedBody
}

/** What an operation of the service does, and what has to hold before it does it. */
export interface Handler {
  /** `operationId` of the contract. */
  readonly operationId: string
  /** True where the caller's plan must include analytics and its hourly limit counts (service.md, "Limits"). */
  readonly metered: boolean
  /** The model that is asked for; it must exist. */
  modelOf?(exchange: Exchange): string
  /** What the service takes but is probably a mistake; a refusal where `--strict` is on. */
  warnings?(exchange: Exchange): readonly Violation[]
  /** What the service takes and only recommends otherwise: said, and never a refusal. */
  recommendations?(exchange: Exchange): readonly Violation[]
  handle(exchange: Exchange): Awaitable<OperationResult>
}
