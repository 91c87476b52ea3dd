/** `server/pipeline/`: passes a request through the stages; `createSimulatorStages` defines their order. */

import type { Log } from '../../base/core/log.ts'
import { nextTurn } from '../../base/core/timers.ts'
import { refusals, replyToStoreError } from '../../service/exchange/refusals.ts'
import {
  type DeliveryOutcome,
  immediateDelivery,
  type OutgoingReply,
  type Reply,
} from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { defaultSandbox } from '../sandboxes/sandboxes.ts'
import { authenticate } from './credentials.ts'
import { Exchange, type MatchedExchange, type PipelineDeps, type ReplyStage, type RequestStage } from './exchange.ts'
import { createRecorder } from './record.ts'
import { checkModelExists, enter, identify, limitRate, requirePlan, validate } from './refusal-stages.ts'
import { applyDamage, checkReply, finalizeHeaders, handle } from './reply-stages.ts'
import { expectRefusal, gateway, scenario } from './scenario.ts'
import { shapeRefusal } from './shape-refusal.ts'

/** Returns the reply to a request. The reply's `onEnd` records the exchange after the delivery. */
export type Pipeline = (request: SimRequest) => Promise<OutgoingReply>

export interface Stages {
  /** The request stages in order. */
  readonly request: readonly (readonly [name: string, stage: RequestStage<MatchedExchange>])[]
  readonly reply: readonly ReplyStage[]
  /** Returns the reply to record, given the actual or expected outcome of the delivery. */
  readonly replyToRecord: (exchange: Exchange, reply: Reply, outcome: DeliveryOutcome) => Reply
  /** True if the `Date` header has the real time, as in a proxy, instead of the sandbox's time. */
  readonly usesRealDate: boolean
}

export type CreateStages = (deps: PipelineDeps) => Stages

export function createPipeline(deps: PipelineDeps, createStages: CreateStages = createSimulatorStages): Pipeline {
  const { sandboxes, log } = deps
  const stages = createStages(deps)
  const runReplyStages = (exchange: Exchange, first: Reply) =>
    stages.reply.reduce((reply, stage) => stage(exchange, reply), first)
  const record = createRecorder(deps, stages.replyToRecord)
  /** Returns the refusal to send instead of a reply that could not be announced to the other replicas. */
  const refuse = (exchange: Exchange, error: unknown) => {
    const refusal = replyToStoreError(error, exchange.request.id, log)
    if (!refusal) throw error
    exchange.delivery = immediateDelivery
    return runReplyStages(exchange, refusal)
  }
  return async function pipeline(request) {
    const exchange = new Exchange(request, sandboxes.use(defaultSandbox))
    try {
      const first = await findFirstReply(stages.request, exchange, deps)
      // A refusal has no generated data, so no data scenario can have changed it.
      if (first.status >= 400)
        exchange.scenarios = exchange.scenarios.filter(({ definition }) => definition.family !== 'data')
      const reply = runReplyStages(exchange, first)
      const date = stages.usesRealDate ? undefined : exchange.now
      const { reply: sent, onEnd, onLeave } = await record(exchange, reply, (error) => refuse(exchange, error))
      return { reply: sent, delivery: exchange.delivery, date, onEnd, onLeave } // a spread makes a GET 3% slower
    } catch (error) {
      exchange.sandbox.activeRequests -= 1 // without a reply, `onEnd` is never called
      throw error
    }
  }
}

/**
 * Creates the stages of a simulator. The keys are the stage names in the journal; function names cannot be used, since
 * a bundler may rename functions.
 */
function createSimulatorStages(deps: PipelineDeps): Stages {
  return {
    request: Object.entries({
      sandbox: enter(deps), // 400 for an invalid sandbox name, or for several names
      gateway: gateway(deps), // the response of a simulated gateway
      identify: identify(), // 400, 404, 405; without an operation, no later stage runs
      authenticate: authenticate(deps), // 401
      scenario: scenario(deps), // any reply from a scenario
      plan: requirePlan(deps), // 403
      validate: validate(deps), // 400, 413, 415
      subject: checkModelExists(deps), // 404
      rate: limitRate(deps), // 429
      handle: handle(deps), // the operation itself
    } satisfies Record<string, RequestStage<MatchedExchange>>),
    reply: [checkReply(deps), applyDamage, finalizeHeaders(deps)],
    replyToRecord: (_, reply) => reply,
    usesRealDate: false,
  }
}

/** Returns the first reply from a stage. If the body is large, yields to other requests between stages. */
async function findFirstReply(stages: Stages['request'], exchange: Exchange, deps: PipelineDeps): Promise<Reply> {
  const { log } = deps
  const { id } = exchange.request
  const isLarge = hasLargeBody(exchange.request)
  try {
    for (const [name, stage] of stages) {
      exchange.stage = name
      const outcome = stage(exchange as MatchedExchange) // stages that run without an operation do not use it
      const reply = outcome instanceof Promise ? await outcome : outcome
      if (reply) return reply.status < 400 ? reply : await completeRefusal(exchange, reply, deps)
      if (isLarge) await nextTurn()
    }
    throw new Error('no stage replied')
  } catch (error) {
    return replyToStoreError(error, id, log) ?? replyToBug(error, id, log)
  }
}

async function completeRefusal(exchange: Exchange, reply: Reply, deps: PipelineDeps): Promise<Reply> {
  if (reply.origin === 'contract' && stagesBeforeRules.has(exchange.stage)) await expectRefusal(exchange, deps)
  return shapeRefusal(exchange, reply, deps)
}

/** Returns true for a body of more than 100 kB, for which one stage may take tens of milliseconds. */
const hasLargeBody = ({ body }: SimRequest) => body.kind === 'bytes' && body.bytes.length > 100_000

/** The stages that refuse requests before rules apply. Their refusals are checked against `expect-refusal` rules. */
const stagesBeforeRules: ReadonlySet<string> = new Set(['identify', 'authenticate'])

function replyToBug(error: unknown, requestId: string, log: Log): Reply {
  log.error({ requestId, err: error }, 'a bug in the simulator')
  return refusals.internalError(`Internal simulator error. See the simulator's log for request ID ${requestId}.`)
}
