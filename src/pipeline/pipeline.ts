/** The way of one request through the stages; `createPipeline` is THE ORDER. */
import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import { type Awaitable, andThen, lastly, rescued } from '../core/awaitable.ts'
import type { Log } from '../core/log.ts'
import type { DecisionTrace } from '../exchange/decision-trace.ts'
import type { OutgoingReply } from '../exchange/delivery.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import type { OperationHandlers } from '../operations/index.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import { type Store, StoreWriteError } from '../state/store.ts'
import { applyDrift } from './apply-drift.ts'
import { authenticate } from './authenticate.ts'
import { checkModelExists } from './check-model-exists.ts'
import { checkReply } from './check-reply.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { finaliseHeaders } from './finalise-headers.ts'
import { handle } from './handle.ts'
import { identify } from './identify.ts'
import { limitRate } from './limit-rate.ts'
import { record } from './record.ts'
import { requirePlan } from './require-plan.ts'
import { scenario } from './scenario.ts'
import type { ScenarioSources } from './scenario-sources.ts'
import type { ReplyStage, RequestStage } from './stage.ts'
import { validate } from './validate.ts'

/** The things that the stages work with. */
export interface PipelineDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly sandboxes: Pick<Sandboxes, 'use'>
  readonly store: Store
  readonly handlers: OperationHandlers
  /** Replies for operations without a handler; undefined where every operation has one. */
  readonly fallback: Fallback | undefined
  readonly scenarios: ScenarioSources
  readonly planOfUnknownKeys: string
  /** Returns a plan's analyses per hour; undefined: unlimited. */
  readonly limitOf: (plan: string) => number | undefined
  readonly isModel: (modelId: string) => boolean
  /** True: warnings of handlers are refusals. */
  readonly strict: boolean
  /** True: replies carry the informative headers (`X-Sim-...`). */
  readonly simHeaders: boolean
  readonly logBodies: boolean
  readonly journal: Journal
  readonly log: Log
}

/** Replies to a request. `trace` collects the reasons for the reply; undefined: nobody asks for them. */
export type Pipeline = (request: SimRequest, trace?: DecisionTrace) => Awaitable<OutgoingReply>

/** Creates the pipeline. The first request stage that has a reply ends the request's way; every reply passes through all reply stages. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { contract, fixtures, sandboxes, store, handlers, log } = deps
  // The names are public in `POST /__sim/explain`, so they do not depend on those of functions, which a bundler may change.
  const requestStages: Readonly<Record<string, RequestStage>> = {
    /** 404, 405 */
    identify: identify(contract, sandboxes),
    /** 401 */
    authenticate: authenticate(fixtures.keys, deps.planOfUnknownKeys),
    /** any reply that a scenario gives */
    scenario: scenario(deps.scenarios, store),
    /** 403 */
    plan: requirePlan(fixtures.plans, handlers),
    /** 400, 413, 415 */
    validate: validate(handlers, deps.strict),
    /** 404 */
    subject: checkModelExists(deps.isModel, handlers),
    /** 429 */
    rate: limitRate(store, deps.limitOf, handlers),
    /** the operation itself */
    handle: handle(contract, handlers, deps.fallback),
  }
  const replyStages: readonly ReplyStage[] = [
    checkReply(log),
    applyDrift(),
    finaliseHeaders(deps.simHeaders),
    record(deps.journal, log, deps.logBodies),
  ]
  const stages = Object.entries(requestStages)

  return function pipeline(request, trace) {
    const exchange = createExchange(request, sandboxes, trace)
    const sendThroughReplyStages = (first: Reply): OutgoingReply => {
      let reply = first
      for (const stage of replyStages) reply = stage(exchange, reply)
      return { reply, delivery: exchange.delivery, date: exchange.now }
    }
    return lastly(
      () => andThen(firstReply(stages, exchange, log), sendThroughReplyStages),
      () => {
        exchange.sandbox.activeRequests -= 1
      },
    )
  }
}

type NamedStages = readonly (readonly [name: string, stage: RequestStage])[]

/** Returns the first reply. An exception is a bug: it is logged, and the client gets a 500 without details. */
function firstReply(stages: NamedStages, exchange: Exchange, log: Log): Awaitable<Reply> {
  return rescued(
    () => runStages(stages, exchange),
    (error) => {
      const requestId = exchange.request.id
      if (error instanceof StoreWriteError) {
        log.error({ requestId, reason: error.message }, 'the state cannot be written')
        return refusals.ownFault(error.message)
      }
      log.error({ requestId, err: error }, 'a bug in the simulator')
      return refusals.ownFault(
        `Internal error of the simulator; its log tells more under the request id ${requestId}.`,
      )
    },
  )
}

/** Runs the stages until one replies. A stage that returns no promise is not awaited: most stages have nothing to wait for. */
function runStages(stages: NamedStages, exchange: Exchange): Awaitable<Reply> {
  for (const [index, [name, stage]] of stages.entries()) {
    if (exchange.trace) exchange.trace.stage = name
    const outcome = stage(exchange)
    if (outcome instanceof Promise)
      return outcome.then((reply) => reply ?? runStages(stages.slice(index + 1), exchange))
    if (outcome) return outcome
  }
  throw new Error('no stage answered')
}
