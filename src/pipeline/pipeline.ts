import type { Contract } from '../contract/contract.ts'
import type { Fallback } from '../contract/fallback.ts'
import { type Awaitable, andThen, lastly, rescued } from '../core/awaitable.ts'
import type { Log } from '../core/log.ts'
import {
  type DecisionTrace,
  type Exchange,
  immediateDelivery,
  type OutgoingReply,
  type Reply,
  type SimRequest,
  type Stage,
} from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import type { Fixtures } from '../fixtures/fixtures.ts'
import type { Journal } from '../journal/journal.ts'
import type { Handler } from '../operations/handler.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import { noOverrides } from '../scenarios/effects.ts'
import { type Store, StoreWriteError } from '../state/store.ts'
import { authenticate } from './authenticate.ts'
import { readBearer } from './bearer.ts'
import { checkAnswer } from './check-answer.ts'
import { applyDrift } from './damage.ts'
import { handle } from './handle.ts'
import { identify } from './identify.ts'
import { finaliseHeaders } from './mark.ts'
import { requirePlan } from './plan.ts'
import { limitRate } from './rate.ts'
import { record } from './record.ts'
import { type ScenarioSources, scenario } from './scenario.ts'
import { checkModelExists } from './subject.ts'
import { validate } from './validate.ts'

/** What the stages are made of. */
export interface PipelineDeps {
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly sandboxes: Pick<Sandboxes, 'use'>
  readonly store: Store
  readonly handlers: ReadonlyMap<string, Handler>
  /** For operations without a handler; undefined where every operation has one. */
  readonly fallback: Fallback | undefined
  readonly scenarios: ScenarioSources
  readonly planOfUnknownKeys: string
  readonly limitOf: (plan: string) => number | undefined
  readonly isModel: (modelId: string) => boolean
  readonly strict: boolean
  readonly simHeaders: boolean
  readonly logBodies: boolean
  readonly journal: Journal
  readonly log: Log
}

/** A request in, its answer out. `trace`: takes in why it became that answer. */
export type Pipeline = (request: SimRequest, trace?: DecisionTrace) => Awaitable<OutgoingReply>

/** THE ORDER of things. The first stage that has a reply wins; every reply goes the whole way out. */
export function createPipeline(parts: PipelineDeps): Pipeline {
  const { contract, fixtures, sandboxes, store, handlers, log } = parts
  // Named, since a bundler may give functions other names.
  const requestStages = Object.entries({
    /** 404, 405 */
    identify: identify(contract, sandboxes),
    /** 401 */
    authenticate: authenticate(fixtures.keys, parts.planOfUnknownKeys),
    /** scripted */
    scenario: scenario(parts.scenarios, store),
    /** 403 */
    plan: requirePlan(fixtures.plans, handlers),
    /** 400, 413, 415 */
    validate: validate(handlers, parts.strict),
    /** 404 */
    subject: checkModelExists(parts.isModel, handlers),
    /** 429 */
    rate: limitRate(store, parts.limitOf, handlers),
    /** the operation itself */
    handle: handle(contract, handlers, parts.fallback),
  }).map(([name, run]) => ({ name, run }))
  const replyStages = [
    checkAnswer(log),
    applyDrift(),
    finaliseHeaders(parts.simHeaders),
    record(parts.journal, log, parts.logBodies),
  ]

  return function pipeline(request, trace) {
    const exchange = createExchange(request, sandboxes, trace)
    const sendThroughReplyStages = (answered: Reply): OutgoingReply => {
      let reply = answered
      for (const stage of replyStages) reply = stage(exchange, reply)
      return { reply, delivery: exchange.delivery, date: exchange.now }
    }
    return lastly(
      () => andThen(firstReply(requestStages, exchange, log), sendThroughReplyStages),
      () => {
        exchange.sandbox.activeRequests -= 1
      },
    )
  }
}

interface NamedStage {
  readonly name: string
  readonly run: Stage
}

/** Expected outcomes are values: whatever is thrown is a bug of ours, and the caller hears no more of it than that. */
function firstReply(stages: readonly NamedStage[], exchange: Exchange, log: Log): Awaitable<Reply> {
  return rescued(
    () => replyFrom(stages, exchange),
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

/** The reply of the first stage that has one. Most have nothing to wait for. */
function replyFrom(stages: readonly NamedStage[], exchange: Exchange): Awaitable<Reply> {
  for (const [index, { name, run }] of stages.entries()) {
    if (exchange.trace) exchange.trace.stage = name
    const outcome = run(exchange)
    if (outcome instanceof Promise)
      return outcome.then((reply) => reply ?? replyFrom(stages.slice(index + 1), exchange))
    if (outcome) return outcome
  }
  throw new Error('no stage answered')
}

function createExchange(
  request: SimRequest,
  sandboxes: Pick<Sandboxes, 'use'>,
  trace: DecisionTrace | undefined,
): Exchange {
  const sandbox = sandboxes.use(defaultSandbox)
  sandbox.activeRequests += 1
  return {
    request,
    sandbox,
    seed: sandbox.seed,
    now: sandbox.clock.now(),
    path: request.path,
    operation: undefined,
    pathParameters: {},
    bearer: readBearer(request.headers['authorization']),
    caller: undefined,
    scenarios: [],
    requestedExplicitly: false,
    dataOverrides: noOverrides,
    delivery: immediateDelivery,
    damage: [],
    rawParameters: undefined,
    json: undefined,
    parameters: undefined,
    body: undefined,
    violations: [],
    answerViolations: [],
    advice: [],
    extraHeaders: {},
    trace,
  }
}
