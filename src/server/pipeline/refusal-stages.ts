import type { Violation } from '../../base/core/json.ts'
import { success } from '../../base/core/result.ts'
import { hasByteOrderMark } from '../../base/core/strict-json.ts'
import { cutText } from '../../base/core/text.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { bareMediaType, isForm, isJson, matchMediaType } from '../../service/contract/media-types.ts'
import { findUnknownNames } from '../../service/contract/request/unknown-names.ts'
import { rateHeaders } from '../../service/exchange/rate-headers.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { isSandboxName, readSandboxOfBaggage, sandboxNameRule } from '../sandboxes/sandboxes.ts'
import {
  addDecision,
  type Exchange,
  jsonOf,
  type MatchedExchange,
  type PipelineDeps,
  type RequestStage,
  rawParametersOf,
} from './exchange.ts'

/** Finds the request's sandbox, the sandbox's settings, and the operation. */
export function enter({ contract, handlers, sandboxes }: PipelineDeps): RequestStage {
  const knownPaths = [...new Set(contract.operations.map(({ basePath, path }) => basePath + path))]
  return async function enter(exchange) {
    const { request } = exchange
    const [, sandboxOfPath, rest] = /^\/_s\/([^/]*)(\/.*)$/.exec(request.path) ?? []
    exchange.path = rest ?? request.path
    const refusal = enterSandbox(exchange, sandboxes, sandboxOfPath)
    // Matched before the settings are read, so that the journal has the operation even if the shared state is down.
    exchange.unmatched = refusal ? undefined : matchOperation(exchange, contract, knownPaths)
    exchange.handler = exchange.operation && handlers.get(exchange.operation.id)
    const { seed, rules, clock } = await sandboxes.settings.read(exchange.sandbox.name)
    exchange.seed = seed
    exchange.rules = rules
    exchange.now = clock.now
    return refusal
  }
}

/**
 * Refuses a request that matches no operation: 400 for a malformed path, 404 for an unknown path, 405 for a wrong
 * method. A proxy passes such requests on (`passesUnknown`). A request with an aborted body is refused here, and does
 * not count against rate limits or sequences, since the real service would not have seen such a request.
 */
export function identify(passesUnknown = false): RequestStage {
  return function identify({ request, unmatched }) {
    const aborted = request.body.kind === 'aborted' ? refusals.aborted() : undefined
    return passesUnknown ? aborted : (unmatched ?? aborted)
  }
}

const invalidNameInKey =
  `The text after the last "~" in the key is not a valid sandbox name: a name must be ${sandboxNameRule}. ` +
  'If the key itself contains a tilde, append a sandbox name: key~default.'

/** Switches to the sandbox named in the header, key, path or baggage; without a name, the sandbox remains `default`. */
function enterSandbox(
  exchange: Exchange,
  sandboxes: PipelineDeps['sandboxes'],
  nameInPath: string | undefined,
): Reply | undefined {
  const { headers } = exchange.request
  const nameInKey = exchange.bearer.ok ? exchange.bearer.sandbox : undefined
  // The text after the tilde may be part of a secret key, so the refusal does not quote it.
  if (nameInKey !== undefined && !isSandboxName(nameInKey)) return refusals.control(invalidNameInKey)
  const names = [headers['x-sim-sandbox'], nameInKey, nameInPath].filter((name) => name !== undefined)
  const name = names[0] ?? readNameOfBaggage(exchange)
  if (name === undefined) return undefined
  if (names.some((other) => other !== name))
    return refusals.control(`The request names more than one sandbox: ${[...new Set(names)].join(', ')}.`)
  if (!isSandboxName(name))
    return refusals.control(`"${cutText(name)}" is not a valid sandbox name. Use ${sandboxNameRule}.`)
  const sandbox = sandboxes.use(name)
  exchange.sandbox.activeRequests -= 1
  sandbox.activeRequests += 1
  exchange.sandbox = sandbox
  return undefined
}

/** Returns the sandbox named in `baggage`, if any. An invalid name only adds advice, since other tools use baggage. */
function readNameOfBaggage(exchange: Exchange): string | undefined {
  const name = readSandboxOfBaggage(exchange.request.headers['baggage'])
  if (!name.ok) {
    exchange.advice = [{ in: 'header', pointer: '/baggage', keyword: 'baggage', message: name.error }]
    return undefined
  }
  if (name.value !== undefined) addDecision(exchange, `The baggage header names the sandbox "${name.value}".`)
  return name.value
}

function matchOperation(exchange: Exchange, contract: Contract, knownPaths: readonly string[]): Reply | undefined {
  const { path, request } = exchange
  const match = contract.match(request.method, path)
  switch (match.kind) {
    case 'operation':
      exchange.operation = match.operation
      exchange.pathParameters = match.pathParameters
      return undefined
    case 'wrong-method':
      return refusals.wrongMethod(request.method, path, match.allowed)
    case 'outside-base': {
      const base = request.path.slice(0, -path.length) + contract.basePath // may begin with `/_s/NAME`
      const suggestion = match.isBaseMissing ? base + path : undefined
      if (suggestion) {
        const message = `must begin with ${base}, the path of the base URL, as in ${cutText(suggestion, 200)}`
        exchange.advice = [...exchange.advice, { in: 'path', pointer: '', keyword: 'base-path', message }]
      }
      return refusals.outsideBase(base, request.path, suggestion)
    }
    case 'malformed':
      return refusals.malformedPath(match.reason)
    case 'unknown-path':
      return refusals.unknownPath(path, knownPaths)
  }
}

/** Refuses callers whose plan lacks a feature that the operation requires (docs/development/service.md, 2.2). */
export function requirePlan({ fixtures: { plans } }: PipelineDeps): RequestStage<MatchedExchange> {
  const namesByFeature = { analytics: plans.filter(({ analytics }) => analytics).map(({ name }) => name) }
  return function requirePlan(exchange) {
    const { operation, handler, caller } = exchange
    const feature = handler?.requires
    if (!caller || !feature) return undefined
    const sufficientPlans = namesByFeature[feature]
    return sufficientPlans.includes(caller.plan) ? undefined : refusals.plan(operation, caller.plan, sufficientPlans)
  }
}

/** Refuses requests whose parameters or body break the contract and, with `strict`, requests that cause warnings. */
export function validate({ settings: { strict } }: PipelineDeps): RequestStage<MatchedExchange> {
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

/** Adds warnings and recommendations to the advice. With `strict`, refuses a request that causes warnings. */
function addAdvice(exchange: MatchedExchange, strict: boolean): Reply | undefined {
  const { operation, handler } = exchange
  const warnings = findUnknownNames(operation, rawParametersOf(exchange).query, exchange.body)
  const { body } = exchange.request
  if (exchange.json && body.kind === 'bytes' && hasByteOrderMark(body.bytes)) warnings.push(markedBody)
  if (handler?.warnings) warnings.push(...handler.warnings(exchange))
  const recommendations = handler?.recommendations?.(exchange) ?? []
  exchange.advice = [...exchange.advice, ...warnings, ...recommendations]
  if (!strict || warnings.length === 0) return undefined
  exchange.violations = warnings
  return refusals.invalid(operation, warnings)
}

const markedMessage = 'begins with a byte order mark, which JSON forbids; send the body without the bytes EF BB BF'
const markedBody: Violation = { in: 'body', pointer: '', keyword: 'json', message: markedMessage }

/** Reads and checks the body; sets `exchange.body` if the body can be parsed, even if it does not match the schema. */
function checkBody(exchange: MatchedExchange): Violation[] {
  const { operation, request } = exchange
  const expected = operation.body
  if (!expected) return []
  if (request.body.kind !== 'bytes') {
    const message = `is required: send a body of type ${expected.mediaTypes.join(' or ')}`
    return expected.required ? [{ in: 'body', pointer: '', keyword: 'required', message }] : []
  }
  const contentType = request.headers['content-type']
  const mediaType = bareMediaType(contentType ?? '')
  const problem = findTypeProblem(contentType, mediaType, expected.mediaTypes)
  if (problem) return [{ in: 'header', pointer: '/content-type', keyword: 'media-type', message: problem }]
  const read = isJson(mediaType)
    ? jsonOf(exchange)
    : success(operation.readText(mediaType, new TextDecoder().decode(request.body.bytes)))
  if (!read) throw new Error('the request body was not read')
  if (!read.ok) return [{ in: 'body', pointer: read.error.pointer, keyword: 'json', message: read.error.message }]
  exchange.body = read.value
  return operation.checkBody(mediaType, read.value)
}

/** Returns the problem with a content type, if any. JSON (RFC 8259) and forms must be UTF-8. */
function findTypeProblem(sent: string | undefined, mediaType: string, allowed: readonly string[]): string | undefined {
  const isAllowed = allowed.length === 0 || matchMediaType(allowed, mediaType) !== undefined
  if (!isAllowed)
    return sent === undefined
      ? `is missing; send ${allowed.join(' or ')}`
      : `must be ${allowed.join(' or ')}; got "${cutText(sent)}"`
  if (!isJson(mediaType) && !isForm(mediaType)) return undefined
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(sent ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset) ? undefined : `must have the charset utf-8; got "${charset}"`
}

/** Refuses unknown models. With `--models open`, any UUID is accepted; otherwise, the model must be in the fixtures. */
export function checkModelExists({ isModel }: PipelineDeps): RequestStage<MatchedExchange> {
  return function checkModelExists(exchange) {
    const { operation, handler } = exchange
    const name = handler?.modelParameter
    if (name === undefined) return undefined
    const modelId = String(exchange.parameters?.path[name])
    return isModel(modelId) ? undefined : refusals.unknownModel(operation, modelId)
  }
}

/**
 * Refuses requests beyond the plan's rate limit (docs/development/service.md, 2.4). This is the last stage before
 * `handle`, so only requests that pass the earlier checks count against the limit.
 */
export function limitRate({ store, limitOf }: PipelineDeps) {
  return function limitRate(exchange: MatchedExchange) {
    const { operation, handler, caller } = exchange
    const limitName = handler?.rateLimit
    if (!caller || !limitName) return undefined
    const limit = limitOf(caller.plan)
    if (limit === undefined) return undefined
    const key = `${limitName}:${caller.token}`
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
