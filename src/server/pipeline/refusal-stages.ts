import { memoizeLast } from '../../base/core/memoize.ts'
import { findSimilar } from '../../base/core/similar.ts'
import type { Violation } from '../../base/core/violation.ts'
import { type RateLimit, rateHeaders } from '../../service/exchange/rate-headers.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { Store } from '../../state/store.ts'
import type { Exchange, MatchedExchange, RequestStage } from './exchange.ts'

/** Identifies the caller by the bearer token, which every operation requires (docs/development/service.md, 2.2). */
export function authenticate(keys: Fixtures['keys'], planOfUnknownKeys: string): RequestStage<MatchedExchange> {
  const magicKeys = new Map(keys.map((key) => [key.token, key]))
  const findMeant = memoizeLast((token: string) => findSimilar(token, magicKeys.keys()))
  return function authenticate(exchange) {
    const { operation, bearer } = exchange
    if (!operation.takesBearer) return undefined
    if (!bearer.ok) return operation.secured ? refusals.unauthorized(operation, bearer.problem) : undefined
    const { token } = bearer
    const key = magicKeys.get(token)
    if (!key) adviseKey(exchange, token, findMeant(token))
    exchange.caller = { token, plan: key?.plan ?? planOfUnknownKeys, scenario: key?.scenario }
    return undefined
  }
}

function adviseKey(exchange: Exchange, token: string, meant: string | undefined): void {
  // Keys that differ in a number, such as customer-1 and customer-2, are no slips.
  if (meant !== undefined && withoutDigits(meant) !== withoutDigits(token))
    exchange.advice = [...exchange.advice, misspeltKey(meant)]
}

const withoutDigits = (token: string) => token.replace(/\d/g, '')

const misspeltKey = (meant: string): Violation => ({
  in: 'header',
  pointer: '/authorization',
  keyword: 'magic-key',
  message: `is a letter away from the magic key ${meant}, and switches on nothing; did you mean that?`,
})

/** Refuses callers whose plan lacks a feature that the operation requires (docs/development/service.md, 2.2). */
export function requirePlan(plans: Fixtures['plans']): RequestStage<MatchedExchange> {
  const namesByFeature = { analytics: plans.filter(({ analytics }) => analytics).map(({ name }) => name) }
  return function requirePlan(exchange) {
    const { operation, handler, caller } = exchange
    const feature = handler?.requires
    if (!caller || !feature) return undefined
    const including = namesByFeature[feature]
    return including.includes(caller.plan) ? undefined : refusals.plan(operation, caller.plan, including)
  }
}

/** Refuses requests for a model that does not exist: with `--models open` any UUID exists, else only a fixture's. */
export function checkModelExists(isModel: (modelId: string) => boolean): RequestStage<MatchedExchange> {
  return function checkModelExists(exchange) {
    const { operation, handler } = exchange
    const name = handler?.modelParameter
    if (name === undefined) return undefined
    const modelId = String(exchange.parameters?.path[name])
    return isModel(modelId) ? undefined : refusals.unknownModel(operation, modelId)
  }
}

/**
 * Refuses requests beyond the plan's limit (docs/development/service.md, 2.4). It is the last of all refusals, so
 * that only a request that would have been handled consumes rate. `limitOf` returns undefined for a plan without a
 * limit.
 */
export function limitRate(
  store: Store,
  limitOf: (plan: string) => RateLimit | undefined,
): RequestStage<MatchedExchange> {
  return function limitRate(exchange) {
    const { operation, handler, caller } = exchange
    const counted = handler?.rateLimit
    if (!caller || !counted) return undefined
    const limit = limitOf(caller.plan)
    if (limit === undefined) return undefined
    const key = `${counted}:${caller.token}`
    const { sandbox, seed, now } = exchange
    return store
      .consumeRate({ sandbox: sandbox.name, seed, now }, key, limit.quota, limit.windowMs)
      .then(({ allowed, remaining, resetMs }) => {
        exchange.resetMs = resetMs
        Object.assign(exchange.extraHeaders, rateHeaders(limit, remaining, resetMs))
        return allowed ? undefined : refusals.rateLimited(operation, limit, resetMs)
      })
  }
}
