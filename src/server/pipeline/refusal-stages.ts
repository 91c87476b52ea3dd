import type { Json } from '../../base/core/json.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import { success } from '../../base/core/result.ts'
import { findSimilar } from '../../base/core/similar.ts'
import { cutText } from '../../base/core/text.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { Operation } from '../../service/contract/contract.ts'
import { isForm, isJson, matchMediaType } from '../../service/contract/media-types.ts'
import { findUnknownNames } from '../../service/contract/unknown-names.ts'
import { type RateLimit, rateHeaders } from '../../service/exchange/rate-headers.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { Store } from '../../state/store.ts'
import { type Exchange, jsonOf, type MatchedExchange, type RequestStage, rawParametersOf } from './exchange.ts'

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
    exchange.caller = { token, plan: key?.plan ?? planOfUnknownKeys }
    return undefined
  }
}

function adviseKey(exchange: Exchange, token: string, meant: string | undefined): void {
  // Keys that differ in a number, such as customer-1 and customer-2, are no slips.
  if (meant === undefined || withoutDigits(meant) === withoutDigits(token)) return
  const message = `is a letter away from the magic key ${meant}, and switches on nothing; did you mean that?`
  exchange.advice = [...exchange.advice, { in: 'header', pointer: '/authorization', keyword: 'magic-key', message }]
}

const withoutDigits = (token: string) => token.replace(/\d/g, '')

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

/** Checks parameters and body against the contract, and names all violations. With `strict`, warnings are refusals. */
export function validate(strict: boolean): RequestStage<MatchedExchange> {
  return function validate(exchange) {
    const { operation, request } = exchange
    const { body } = request
    if (body.kind === 'unreadable' && operation.body)
      return refusals.unreadableBody(operation, body.status, body.reason)
    const { values, violations } = operation.readParameters(rawParametersOf(exchange))
    exchange.parameters = values
    exchange.violations = [...violations, ...checkBody(exchange)]
    if (exchange.violations.length > 0) return refusals.invalid(operation, exchange.violations)
    return addAdvice(exchange, strict)
  }
}

/** Adds typing errors and the handler's warnings and recommendations to the advice; `strict` refuses the first two. */
function addAdvice(exchange: MatchedExchange, strict: boolean): Reply | undefined {
  const { operation, handler } = exchange
  const warnings = findUnknownNames(operation, rawParametersOf(exchange).query, exchange.body)
  if (handler?.warnings) warnings.push(...handler.warnings(exchange))
  const recommendations = handler?.recommendations?.(exchange) ?? []
  exchange.advice = [...exchange.advice, ...warnings, ...recommendations]
  if (!strict || warnings.length === 0) return undefined
  exchange.violations = warnings
  return refusals.invalid(operation, warnings)
}

/** Reads and checks the body; sets `exchange.body` where the body is JSON, even if it breaks the schema. */
function checkBody(exchange: MatchedExchange): Violation[] {
  const { operation, request } = exchange
  const expected = operation.body
  if (!expected) return []
  if (request.body.kind !== 'bytes') {
    const message = `is required: send a body of the type ${expected.mediaTypes.join(' or ')}`
    return expected.required ? [{ in: 'body', pointer: '', keyword: 'required', message }] : []
  }
  const contentType = request.headers['content-type']
  const mediaType = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const problem = mediaTypeProblem(contentType, mediaType, expected.mediaTypes)
  if (problem) return [{ in: 'header', pointer: '/content-type', keyword: 'media-type', message: problem }]
  const read = isJson(mediaType) ? jsonOf(exchange) : readText(operation, mediaType, request.body.bytes)
  if (!read) throw new Error('a body of bytes was not read')
  if (!read.ok) return [{ in: 'body', pointer: read.error.pointer, keyword: 'json', message: read.error.message }]
  exchange.body = read.value
  return operation.checkBody(mediaType, read.value)
}

/** Reads a body that is no JSON, which an own contract may describe: a form is an object, all else a string. */
function readText(operation: Operation, mediaType: string, bytes: Uint8Array): ReturnType<typeof success<Json>> {
  const text = new TextDecoder().decode(bytes)
  return success((isForm(mediaType) ? operation.readForm(text) : undefined) ?? text)
}

/** Returns what is wrong with a content type that the document does not cover, if it is. JSON is UTF-8 (RFC 8259). */
function mediaTypeProblem(sent: string | undefined, mediaType: string, allowed: readonly string[]): string | undefined {
  if (sent === undefined) return `is missing; send ${allowed.join(' or ')}`
  if (matchMediaType(allowed, mediaType) === undefined) return `must be ${allowed.join(' or ')}; got "${cutText(sent)}"`
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(sent)?.[1]?.toLowerCase() ?? 'utf-8'
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset) ? undefined : `must have the charset utf-8; got "${charset}"`
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
export function limitRate(store: Store, limitOf: (plan: string) => RateLimit | undefined) {
  return function limitRate(exchange: MatchedExchange) {
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
