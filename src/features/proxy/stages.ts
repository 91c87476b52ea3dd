import { findCredentials } from '../../server/pipeline/credentials.ts'
import {
  isMatched,
  type MatchedExchange,
  type PipelineDeps,
  type RequestStage,
} from '../../server/pipeline/exchange.ts'
import type { Stages } from '../../server/pipeline/pipeline.ts'
import { enter, identify, validate } from '../../server/pipeline/refusal-stages.ts'
import { applyDamage, checkReply, finalizeHeaders } from '../../server/pipeline/reply-stages.ts'
import { gateway, scenario } from '../../server/pipeline/scenario.ts'
import type { UpstreamClient } from '../../server/upstream/client.ts'
import { type PageSettings, refusals, refuseForeignPage } from '../../service/exchange/refusals.ts'
import { checkUpstreamResponse, responseToRecord } from './check-response.ts'
import { forwardRequest } from './forward-request.ts'

/**
 * Creates the stages of a proxy. A scenario can reply to a request before the real service gets it. Requests that
 * violate the contract are recorded but not refused, since the service itself checks requests, including keys, plans,
 * models and rates.
 */
export function createProxyStages(deps: PipelineDeps, upstream: UpstreamClient, pages: PageSettings): Stages {
  const { contract } = deps
  const { token } = upstream.target
  const noMagicValues = { ...deps, keyScenarios: new Map(), modelScenarios: new Map() }
  const checkOwnReply = checkReply(deps)
  return {
    request: Object.entries({
      authenticate: readCaller(token === undefined ? undefined : pages), // 403 for a cross-origin page
      sandbox: enter(deps), // 400 for an invalid sandbox name
      gateway: gateway(noMagicValues), // the response of a simulated gateway
      identify: identify(true),
      scenario: scenarioOfOperation(scenario(noMagicValues)), // any reply from a scenario
      validate: judgeRequest(validate(deps)),
      handle: forwardRequest(contract.basePath, upstream, pages.cors), // the service's response, or a refusal
    } satisfies Record<string, RequestStage>),
    reply: [
      // 500 only if one of the proxy's own replies breaks the contract
      (exchange, reply) =>
        reply.origin === 'upstream' ? checkUpstreamResponse(exchange, reply) : checkOwnReply(exchange, reply),
      applyDamage,
      finalizeHeaders(deps),
    ],
    replyToRecord: (exchange, reply, outcome) => responseToRecord(exchange, reply, outcome, token),
    usesRealDate: true,
  }
}

/** A proxy that adds its token to each request. Cross-origin pages must not link to it, since it forwards every GET. */
const proxyWithToken = {
  name: 'The proxy, which forwards requests with CONVSIM_UPSTREAM_TOKEN,',
  allowsLinks: false,
}

/**
 * Creates the stage that reads the client's token, which identifies the client. A proxy has no magic keys. `pages`: the
 * pages that may use the proxy's token; undefined if the proxy has no token.
 */
function readCaller(pages: PageSettings | undefined): RequestStage {
  return (exchange) => {
    const { bearer, request } = exchange
    if (bearer.ok) exchange.caller = { token: bearer.token, plan: '' }
    return pages && refuseForeignPage(request, pages, proxyWithToken)
  }
}

function scenarioOfOperation(stage: RequestStage<MatchedExchange>): RequestStage {
  return (exchange) => {
    if (isMatched(exchange)) return stage(exchange)
    const { headers } = exchange.request
    const control = ['x-sim-scenario', 'x-sim-sequence'].find((name) => headers[name] !== undefined)
    if (control === undefined) return undefined
    return refusals.control(
      `The header ${control} applies only to operations of the contract, ` +
        `and ${exchange.request.method} ${exchange.path} matches none. Omit the header to call the real service.`,
    )
  }
}

/** Runs the `validate` stage only for its findings. Skips requests with a missing credential or an unreadable body. */
function judgeRequest(stage: RequestStage<MatchedExchange>): RequestStage {
  return (exchange) => {
    if (!isMatched(exchange)) return undefined
    if (findCredentials(exchange) && exchange.request.body.kind !== 'unreadable') stage(exchange)
    return undefined
  }
}
