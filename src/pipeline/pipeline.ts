/** The way of one request through the stages; `createPipeline` is THE ORDER. */
import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import type { Log } from '../core/log.ts'
import type { CorsOrigins } from '../core/origins.ts'
import type { DecisionTrace } from '../exchange/decision-trace.ts'
import type { ClientSight, DeliveryOutcome, OutgoingReply } from '../exchange/delivery.ts'
import type { PageSettings } from '../exchange/foreign-page.ts'
import type { RateLimit } from '../exchange/rate-headers.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import type { OperationHandlers } from '../operations/index.ts'
import { type Store, StoreReadError, StoreUnavailableError, StoreWriteError } from '../state/store.ts'
import type { UpstreamClient } from '../upstream/forward.ts'
import { applyDrift } from './apply-drift.ts'
import { authenticate } from './authenticate.ts'
import { checkModelExists } from './check-model-exists.ts'
import { checkReply } from './check-reply.ts'
import { createExchange, type Exchange, type PipelineSandboxes } from './exchange.ts'
import { explainReply } from './explain-reply.ts'
import { finaliseHeaders, type HeaderSettings } from './finalise-headers.ts'
import { handle } from './handle.ts'
import { identify } from './identify.ts'
import { limitRate } from './limit-rate.ts'
import { answerToRecord } from './proxy/answer-to-record.ts'
import { proxyReplyStages, proxyRequestStages } from './proxy/stages.ts'
import { record } from './record.ts'
import { requirePlan } from './require-plan.ts'
import { scenario } from './scenario.ts'
import type { ScenarioSources } from './scenario-sources.ts'
import type { ReplyStage, RequestStage, RequestStages } from './stage.ts'
import { validate } from './validate.ts'

/** The things that the stages work with. */
export interface PipelineDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly sandboxes: PipelineSandboxes
  readonly store: Store
  readonly handlers: OperationHandlers
  /** Replies for operations without a handler; undefined where every operation has one. */
  readonly fallback: Fallback | undefined
  /** The real service that answers in place of the handlers; absent: the simulator answers. */
  readonly upstream?: UpstreamClient | undefined
  /** The pages that may use the real service with the token of the proxy. */
  readonly pages: PageSettings
  /** The origins of pages to which the edge grants CORS. */
  readonly corsOrigins: CorsOrigins
  readonly scenarios: ScenarioSources
  readonly planOfUnknownKeys: string
  /** Returns the limit of a plan's analyses; undefined: unlimited. */
  readonly limitOf: (plan: string) => RateLimit | undefined
  readonly isModel: (modelId: string) => boolean
  /** True: warnings of handlers are refusals. */
  readonly strict: boolean
  readonly headers: HeaderSettings
  readonly logBodies: boolean
  readonly journal: Journal
  readonly log: Log
}

/** Replies to a request; the exchange is recorded by the reply's `onEnd`, once the reply was delivered. `trace` collects the reasons for the reply; undefined: only the log may ask for them. */
export type Pipeline = (request: SimRequest, trace?: DecisionTrace) => Promise<OutgoingReply>

/** Creates the pipeline. The first request stage that has a reply ends the request's way; every reply passes through all reply stages. */
export function createPipeline(deps: PipelineDeps): Pipeline {
  const { sandboxes, upstream, log } = deps
  const requestStages = upstream ? proxyRequestStages(deps, upstream) : simulatorRequestStages(deps)
  const replyStages = upstream ? proxyReplyStages(deps) : simulatorReplyStages(deps)
  const addStages = (exchange: Exchange, first: Reply) =>
    replyStages.reduce((reply, stage) => stage(exchange, reply), first)
  const recordExchange = record({
    ...deps,
    recordedReply: (exchange, reply, outcome) =>
      upstream ? answerToRecord(exchange, reply, outcome, upstream.target.token) : reply,
    refuse: (exchange, { message }) => addStages(exchange, refusals.unavailable(message)),
  })
  const isExplained = log.isLevelEnabled('debug')
  return async function pipeline(request, trace) {
    const decisionTrace = trace ?? (isExplained ? { decisions: [] } : undefined)
    const exchange = createExchange(request, sandboxes, decisionTrace, deps.journal.takeOrder())
    try {
      const first = await firstReply(requestStages, exchange, log)
      const reply = addStages(exchange, first)
      if (decisionTrace) explainReply(decisionTrace, exchange, first, reply)
      const recording = recordExchange(exchange, reply, request.elapsed())
      const onEnd = (outcome: DeliveryOutcome, sight?: ClientSight) => {
        exchange.sandbox.activeRequests -= 1
        recording.onEnd(outcome, sight)
      }
      // The real service dates its answers itself.
      const date = upstream ? undefined : exchange.now
      return {
        reply,
        delivery: exchange.delivery,
        date,
        onEnd,
        onLeave: recording.onLeave,
        store: recording.store,
      }
    } catch (error) {
      exchange.sandbox.activeRequests -= 1 // no delivery will end
      throw error
    }
  }
}

/** Returns the stages of a request that the simulator answers. Their names are public in `POST /__sim/explain`, so they do not depend on those of functions, which a bundler may change. */
function simulatorRequestStages(deps: PipelineDeps): RequestStages {
  const { contract, fixtures, store, handlers } = deps
  return Object.entries({
    /** 404, 405 */
    identify: identify(contract, deps.sandboxes),
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
  } satisfies Record<string, RequestStage>)
}

function simulatorReplyStages({ handlers, headers, log }: PipelineDeps): readonly ReplyStage[] {
  return [checkReply(handlers, log), applyDrift(), finaliseHeaders(headers)]
}

/** Returns the reply of the first stage that has one. An exception is a bug: it is logged, and the client gets a 500 without details. */
async function firstReply(stages: RequestStages, exchange: Exchange, log: Log): Promise<Reply> {
  const requestId = exchange.request.id
  try {
    for (const [name, stage] of stages) {
      exchange.stage = name
      const outcome = stage(exchange)
      const reply = outcome instanceof Promise ? await outcome : outcome
      if (reply) return reply
    }
    throw new Error('no stage replied')
  } catch (error) {
    if (error instanceof StoreWriteError) {
      log.error({ requestId, reason: error.message }, 'the state cannot be written')
      return refusals.ownFault(error.message)
    }
    if (error instanceof StoreReadError) {
      log.error({ requestId, reason: error.message }, 'the state cannot be read')
      return refusals.ownFault(error.message)
    }
    if (error instanceof StoreUnavailableError) {
      log.warn({ requestId, reason: error.message }, 'the shared state cannot be used')
      return refusals.unavailable(error.message)
    }
    log.error({ requestId, err: error }, 'a bug in the simulator')
    return refusals.ownFault(
      `Internal error of the simulator; its log tells more under the request id ${requestId}.`,
    )
  }
}
