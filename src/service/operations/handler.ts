import { isObject, type Json, type Violation } from '../../base/core/json.ts'
import type { WriteContext } from '../../state/records.ts'
import type { Store } from '../../state/store.ts'
import type { ParameterValues } from '../contract/contract.ts'
import type { Body } from '../exchange/reply.ts'
import type { ExactResponse } from '../fixtures/responses.ts'
import type { DataOverrides } from '../scenarios/definition.ts'
import type { AnalyticsQuery, Simulate } from '../simulation/analytics.ts'

/** A validated request as a handler sees it, with the sandbox, seed and time for state changes. */
export interface OperationContext extends WriteContext {
  /** The parameters, coerced to the contract's types, with defaults filled in. */
  readonly parameters: ParameterValues
  readonly body: Json | undefined
  /** The changes that data scenarios make to the response. */
  readonly overrides: DataOverrides
  /** True if a scenario makes sampling drop the event, regardless of the sample rate. */
  readonly isSampledOut: boolean
  /** Selects the status documented for an event that sampling drops. */
  markDropped(): void
  explain(reason: string): void
  warn(advice: Violation): void
}

export interface OperationDeps {
  readonly simulate: Simulate
  readonly store: Store
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  readonly responses: readonly ExactResponse[]
}

/** The definition of an operation: what it needs from the document, its preconditions, and its handler. */
export interface OperationDefinition {
  readonly operationId: string
  /** The path parameter with the ID of a model that must exist; absent if the path has no model ID. */
  readonly modelParameter?: string
  readonly readsBody?: true
  /** Returns samples of the handler's responses. The document must allow them for the success status. */
  samples(simulate: Simulate): readonly Json[]
  /** Generates the response for a model without events; absent if data scenarios do not apply to the operation. */
  generate?(simulate: Simulate, query: Pick<AnalyticsQuery, 'modelId' | 'seed' | 'now'>, overrides: DataOverrides): Json
  /** The feature that the caller's plan must include (docs/development/service.md, 2.2); absent if none is needed. */
  readonly requires?: 'analytics'
  /** The plan's hourly limit that a request counts against (docs/development/service.md, 2.4); absent if unlimited. */
  readonly rateLimit?: 'analyses'
  warnings?(request: ValidBody): readonly Violation[]
  /** Returns the recommendations that the request does not follow. They never cause a refusal. */
  recommendations?(request: ValidBody): readonly Violation[]
  createHandle(deps: OperationDeps): OperationHandler['handle']
}

/** The validated body of a request: `body` is undefined if no body was sent or the operation does not take one. */
export type ValidBody = Pick<OperationContext, 'body'>

export interface OperationHandler extends Omit<OperationDefinition, 'createHandle'> {
  readonly handle: (context: OperationContext) => Promise<Body>
}

export function findEmptyIds(request: ValidBody, names: readonly string[]): readonly Violation[] {
  const body = bodyOf(request)
  const empty = names.filter((name) => isObject(body) && body[name] === '')
  const message = 'is empty, so it does not identify anything; omit it, or send an identifier'
  return empty.map((name) => ({ in: 'body', pointer: `/${name}`, keyword: 'empty-id', message }))
}

/** Returns the request's body. Throws if there is none, which an edited contract can allow. */
export function bodyOf({ body }: ValidBody): Json {
  if (body === undefined) throw new Error('the operation needs a body, but the contract allowed a request without one')
  return body
}
