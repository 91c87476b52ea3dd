import type { Contract } from '../../contract/contract.ts'
import type { Log } from '../../core/log.ts'
import type { CorsOrigins } from '../../core/origins.ts'
import { type PageSettings, refuseForeignPage } from '../../exchange/foreign-page.ts'
import { refusals } from '../../exchange/refusals.ts'
import type { OperationHandlers } from '../../operations/index.ts'
import type { Store } from '../../state/store.ts'
import type { UpstreamClient } from '../../upstream/forward.ts'
import { applyDrift } from '../apply-drift.ts'
import { checkReply } from '../check-reply.ts'
import type { PipelineSandboxes } from '../exchange.ts'
import { finaliseHeaders, type HeaderSettings } from '../finalise-headers.ts'
import { identify } from '../identify.ts'
import { scenario } from '../scenario.ts'
import type { ScenarioSources } from '../scenario-sources.ts'
import type { ReplyStage, RequestStage, RequestStages } from '../stage.ts'
import { validate } from '../validate.ts'
import { askUpstream } from './ask-upstream.ts'
import { checkUpstreamAnswer } from './check-answer.ts'

/** The parts of a pipeline that a proxy uses. */
export interface ProxyDeps {
  readonly contract: Contract
  readonly sandboxes: PipelineSandboxes
  readonly store: Store
  /** Only their warnings and recommendations are used. */
  readonly handlers: OperationHandlers
  readonly scenarios: ScenarioSources
  readonly strict: boolean
  readonly headers: HeaderSettings
  readonly pages: PageSettings
  readonly corsOrigins: CorsOrigins
  readonly log: Log
}

/**
 * Returns the stages of a request that the real service answers. Scenarios refuse in front of it. The contract only judges: the service
 * decides, also about keys, plans, models and rates.
 */
export function proxyRequestStages(deps: ProxyDeps, upstream: UpstreamClient): RequestStages {
  const { contract, sandboxes, scenarios, store } = deps
  const noMagicValues = { ...scenarios, ofModel: new Map<string, string>() }
  return Object.entries({
    /** 403 for a foreign page, before it can create a sandbox by a name */
    authenticate: readCaller(upstream.target.token === undefined ? undefined : deps.pages),
    /** 400 for a malformed name of a sandbox */
    identify: identify(contract, sandboxes, true),
    /** any reply that a scenario gives */
    scenario: scenarioOfOperation(scenario(noMagicValues, store)),
    validate: judgeRequest(validate(deps.handlers, deps.strict)),
    /** the answer of the service; 413, 502, 504 */
    handle: askUpstream(contract.basePath, upstream, deps.corsOrigins),
  } satisfies Record<string, RequestStage>)
}

/** Returns the stages of a reply. Only a reply of the proxy itself that breaks the contract becomes a 500. */
export function proxyReplyStages({ handlers, headers, log }: ProxyDeps): readonly ReplyStage[] {
  const checkOwnReply = checkReply(handlers, log)
  return [
    (exchange, reply) =>
      reply.origin === 'upstream' ? checkUpstreamAnswer(exchange, reply) : checkOwnReply(exchange, reply),
    applyDrift(),
    finaliseHeaders(headers),
  ]
}

/** A proxy that adds its token to each request. No link of a foreign page leads to it: a GET is carried out. */
const heldToken = {
  name: 'The proxy, which sends requests on with CONVSIM_UPSTREAM_TOKEN,',
  allowsLinks: false,
}

/**
 * Creates the stage that reads the client's token, which tells clients apart. Magic keys are the simulator's, so a
 * proxy knows none. `pages`: the pages that may use the token of the proxy; undefined: it has none, and the service
 * judges the client's own.
 */
function readCaller(pages: PageSettings | undefined): RequestStage {
  return function readCaller(exchange) {
    const { bearer, request } = exchange
    if (bearer.ok) exchange.caller = { token: bearer.token, plan: '', scenario: undefined }
    return pages && refuseForeignPage(request, pages, heldToken)
  }
}

/** Limits the stage `scenario` to requests that match an operation. */
function scenarioOfOperation(stage: RequestStage): RequestStage {
  return function scenarioOfOperation(exchange) {
    if (exchange.operation) return stage(exchange)
    const { headers } = exchange.request
    const control = ['x-sim-scenario', 'x-sim-sequence'].find((name) => headers[name] !== undefined)
    if (control === undefined) return undefined
    return refusals.control(
      `The header ${control} needs an operation of the contract, and ${exchange.request.method} ${exchange.path} is none. Leave the header out to ask the real service.`,
    )
  }
}

/** Runs the stage `validate` for its findings alone. As in the simulator, a request without its credential is not judged further. */
function judgeRequest(stage: RequestStage): RequestStage {
  return function judgeRequest(exchange) {
    const { operation, bearer, request } = exchange
    const isJudged = operation && (bearer.ok || !operation.secured) && request.body.kind !== 'unreadable'
    if (isJudged) stage(exchange)
    return undefined
  }
}
