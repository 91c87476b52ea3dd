import type { Flaw, Json, Violation } from '../../base/core/json.ts'
import type { Log } from '../../base/core/log.ts'
import { memoizeLast } from '../../base/core/memoize.ts'
import type { Result } from '../../base/core/result.ts'
import { readJson } from '../../base/core/strict-json.ts'
import { otherSchemes } from '../../base/redaction/redact.ts'
import type { Contract, Operation, ParameterValues, RawParameters } from '../../service/contract/contract.ts'
import type { RateLimit } from '../../service/exchange/rate-headers.ts'
import { type Delivery, immediateDelivery, type Reply } from '../../service/exchange/reply.ts'
import {
  type Expectation,
  readExpectation,
  readQuery,
  readReplayOf,
  type SimRequest,
} from '../../service/exchange/request.ts'
import type { Fixtures } from '../../service/fixtures/fixtures.ts'
import type { OperationContext, OperationHandler } from '../../service/operations/handler.ts'
import type { OperationHandlers } from '../../service/operations/index.ts'
import type { Fallback } from '../../service/responses/fallback.ts'
import {
  type ActiveScenario,
  type Catalogue,
  type DataOverrides,
  noOverrides,
} from '../../service/scenarios/definition.ts'
import type { ActiveRules, AppliedRule } from '../../service/scenarios/rules.ts'
import type { Store } from '../../state/store.ts'
import type { Journal } from '../journal/journal.ts'
import type { Sandbox, Sandboxes } from '../sandboxes/sandboxes.ts'

interface PipelineSettings {
  /** The plan for keys that the fixtures do not list. */
  readonly plan: string
  /** True to refuse requests that cause warnings, such as a warning about an unknown name. */
  readonly strict: boolean
  readonly logBodies: boolean
  /** True to add the informational `X-Sim-...` headers to replies. */
  readonly simHeaders: boolean
  /** This replica's name, if any, for the `X-Sim-Replica` header. */
  readonly replica?: string | undefined
  /** The format of the reset time in the older `X-RateLimit-...` headers, or `off` to omit these headers. */
  readonly xRateLimit: 'off' | 'epoch' | 'seconds'
}

/** Returns the fault that `convsim each` has planned for a request, if any. Called at most once per request. */
export type FindPlannedFault = (operation: string, requestId: string) => ActiveScenario | undefined

/** The parts of a simulator that the stages use. */
export interface PipelineDeps {
  readonly settings: PipelineSettings
  readonly contract: Contract
  readonly fixtures: Fixtures
  readonly sandboxes: Pick<Sandboxes, 'use' | 'settings'>
  /** The state, which also has the counters for rules, sequences and random draws. */
  readonly store: Store
  readonly handlers: OperationHandlers
  /** Creates replies for operations without a handler; undefined in a proxy, or if every operation has a handler. */
  readonly fallback?: Fallback | undefined
  readonly catalogue: Catalogue
  /** The scenarios for magic keys, by token (`fixtures/keys.yaml`). */
  readonly keyScenarios: ReadonlyMap<string, readonly ActiveScenario[]>
  /** The scenarios for magic models, by model ID in lower case (`fixtures/models.yaml`). */
  readonly modelScenarios: ReadonlyMap<string, readonly ActiveScenario[]>
  /** The IDs of each model's products, by model ID; all IDs are in lower case (`fixtures/products.yaml`). */
  readonly productsOfModel: ReadonlyMap<string, readonly string[]>
  /** The rules for every sandbox, from `--scenario` and `--rules`. */
  readonly startupRules: ActiveRules
  readonly findPlannedFault?: FindPlannedFault | undefined
  /** Returns the rate limit of a plan, or undefined if the plan has none. */
  readonly limitOf: (plan: string) => RateLimit | undefined
  readonly isModel: (modelId: string) => boolean
  readonly journal: Journal
  readonly log: Log
}

const readBearerOf = memoizeLast(readBearer)

/** A request on its way through the stages. Each stage adds its results. */
export class Exchange {
  readonly request: SimRequest
  /** Sentences that explain the reply, such as why a rule applied; undefined if there are none (most requests). */
  decisions: readonly string[] | undefined = undefined
  readonly bearer: Bearer
  /** The ID of the recorded request that this request replays, if any. */
  readonly replayOf: string | undefined
  /** The default sandbox, until `enter` switches to the sandbox that the request names. */
  sandbox: Sandbox
  /** The path without the sandbox's base path. */
  path: string
  /** Epoch milliseconds: the time of receipt, then the sandbox's time (set by `enter`) or the time in `X-Sim-Now`. */
  now: number
  /** The sandbox's seed, set by `enter`, or the request's own seed. */
  seed = ''
  /** The sandbox's rules. Set by `enter`. */
  rules: ActiveRules = []
  /** Set by `enter`; undefined if no operation matches. */
  operation: Operation | undefined
  /** Set by `enter`: the refusal if no operation matches. */
  unmatched: Reply | undefined
  /** Set by `enter`; undefined if no operation matches, or if the operation has no handler. */
  handler: OperationHandler | undefined
  pathParameters: Readonly<Record<string, string>> = {}
  /** Set by `authenticate`; undefined without an accepted credential. The token is never logged or persisted. */
  caller: { readonly token: string; readonly plan: string } | undefined
  /** The public name of the current stage, or of the stage that replied. Set by the pipeline. */
  stage = ''
  /** The rule that applied to this request, if any. */
  rule: AppliedRule | undefined
  /** The scenarios that were applied to this request, in order. */
  scenarios: readonly ActiveScenario[] = []
  /** True if the request's headers name scenarios, a sequence or an example, which must not fail silently. */
  hasOwnScenarios = false
  /** Set by `gateway`: true if that stage has already chosen the scenarios. */
  areScenariosChosen = false
  /** The documented status below 400 that a scenario requests, if any. */
  requestedStatus: number | undefined
  /** True if a scenario makes sampling drop the event, whatever the sampling rate is. */
  isSampledOut = false
  /** Set by `handle`: true for an event that sampling dropped. */
  isDropped = false
  /** The changes that data scenarios make to the reply. */
  dataOverrides: DataOverrides = noOverrides
  /** The parameters as sent; see `rawParametersOf`. Undefined until they are first read. */
  rawParameters: RawParameters | undefined
  /** The body as JSON; see `jsonOf`. Undefined until it is first read. */
  json: Result<Json, Flaw> | undefined
  /** The parsed parameters. Set by `validate`. */
  parameters: ParameterValues | undefined
  /** Set by `validate`; undefined if the operation takes no body, or if the request has no body that can be parsed. */
  body: Json | undefined
  violations: readonly Violation[] = []
  /** The contract violations in the reply, including those caused by deliberate damage. */
  responseViolations: readonly Violation[] = []
  /** Warnings and recommendations, such as a warning about an unknown name. */
  advice: readonly Violation[] = []
  delivery: Delivery = immediateDelivery
  /** The deliberate damage to the reply, such as `drop-field at /messageCount`. */
  damage: readonly string[] = []
  /** The outcome that the request or a scenario declares for a negative test, if any. */
  expectation: Expectation | undefined
  /** Set by `limitRate`: the milliseconds until the rate limit window ends. */
  resetMs: number | undefined
  /** Headers to add to the reply, such as `Preference-Applied`. */
  readonly extraHeaders: Record<string, string> = {}

  constructor(request: SimRequest, sandbox: Sandbox) {
    this.request = request
    this.sandbox = sandbox
    sandbox.activeRequests += 1
    this.path = request.path
    this.now = request.at
    this.bearer = readBearerOf(request.headers['authorization'])
    this.replayOf = readReplayOf(request.headers)
    this.expectation = readExpectation(request.headers)
  }
}

export function addDecision(exchange: Exchange, sentence: string): void {
  exchange.decisions = exchange.decisions ? [...exchange.decisions, sentence] : [sentence]
}

export type MatchedExchange = Exchange & { readonly operation: Operation }

export const targetOf = ({ request: { path, query } }: Exchange) => path + (query && `?${query}`)

export const isMatched = (exchange: Exchange): exchange is MatchedExchange => exchange.operation !== undefined

/** Returns the request's body as JSON, parsed once; undefined if no body was read. `validate` reports syntax errors. */
export function jsonOf(exchange: Exchange): Result<Json, Flaw> | undefined {
  const { body } = exchange.request
  if (body.kind === 'bytes') exchange.json ??= readJson(body.bytes)
  return exchange.json
}

/** Returns the parameters as sent. A repeated query parameter is an array. Must not be called before `enter`. */
export function rawParametersOf(exchange: Exchange): RawParameters {
  const { request, pathParameters } = exchange
  exchange.rawParameters ??= { path: pathParameters, query: readQuery(request.query), header: request.headers }
  return exchange.rawParameters
}

/** Returns the part of an exchange that handlers can use. The exchange must have passed `validate`. */
export function operationContext(exchange: Exchange): OperationContext {
  const { sandbox, seed, now, parameters, body, dataOverrides: overrides } = exchange
  if (!parameters) throw new Error('a handler ran before validate read the parameters')
  return {
    sandbox: sandbox.name,
    seed,
    now,
    parameters,
    body,
    overrides,
    isSampledOut: exchange.isSampledOut,
    markDropped() {
      exchange.isDropped = true
    },
    explain: (reason) => addDecision(exchange, reason),
    warn(advice) {
      exchange.advice = [...exchange.advice, advice]
    },
  }
}

/** A request stage. It returns a reply, or undefined to pass the exchange to the next stage. */
export type RequestStage<Input extends Exchange = Exchange> = (
  exchange: Input,
) => Reply | undefined | Promise<Reply | undefined>

/** A reply stage. Every reply passes through all reply stages. */
export type ReplyStage = (exchange: Exchange, reply: Reply) => Reply

/** The content of an `Authorization` header: a token and its sandbox suffix, or the reason why there is no token. */
export type Bearer =
  | { readonly ok: true; readonly token: string; readonly sandbox: string | undefined }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses `Bearer any-key` and `Bearer any-key~worker-3` (the part after the last tilde names a sandbox). The scheme is
 * case-insensitive (RFC 9110); any non-empty token is valid. Problems never quote text that may be a key.
 */
export function readBearer(header: string | undefined): Bearer {
  const fail = (problem: string) => ({ ok: false, problem }) as const
  if (header === undefined || header.trim() === '') return fail('The Authorization header is missing.')
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(header) ?? []
  const name = scheme.toLowerCase()
  if (name !== 'bearer') {
    if (rest === '') return fail('The Authorization header has no scheme before the key.')
    if (otherSchemes.includes(name)) return fail(`The Authorization header uses the scheme "${scheme}", not Bearer.`)
    return fail('The Authorization header uses a scheme that is not Bearer.')
  }
  const text = rest.trim()
  const tilde = text.lastIndexOf('~')
  const token = tilde < 0 ? text : text.slice(0, tilde)
  if (token === '') return fail('The bearer token is empty.')
  return { ok: true, token, sandbox: tilde < 0 ? undefined : text.slice(tilde + 1) }
}
