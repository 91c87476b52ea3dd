import type {
  Contract,
  Operation,
  OperationMatch,
  ParameterValues,
  RawParameters,
} from '../contract/contract.ts'
import type { Awaitable } from '../core/awaitable.ts'
import type { Json } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { readQuery } from '../core/query-string.ts'
import { readJson } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'
import type { Reply, SimRequest } from '../exchange/exchange.ts'
import { abortedMessage, refuse, sentenceOf } from '../exchange/refusals.ts'
import { StoreWriteError } from '../state/store.ts'
import { type GuardSettings, guard } from './guard.ts'

/** What a control operation is asked, already checked against `spec/control.openapi.yaml`. */
export interface ControlRequest {
  readonly parameters: ParameterValues
  /** Undefined where the operation takes none, or none was sent. */
  readonly body: Json | undefined
  /** Lower-case names. */
  readonly headers: SimRequest['headers']
  /** Milliseconds since the request came in. */
  readonly elapsed: () => number
  /** Aborted once the asker has gone. */
  readonly gone: AbortSignal
}

type Outcome = Json | ControlError | CustomReply

/** The body of the documented success status; or what is more than that. */
export type ControlHandler = (request: ControlRequest) => Awaitable<Outcome>

/** An answer that is no JSON, or not of the lowest success status: `new Special({ body: text, mediaType: 'text/html' })`. */
export class CustomReply {
  readonly parts: Partial<Pick<Reply, 'status' | 'body' | 'mediaType' | 'stream'>>
  constructor(parts: CustomReply['parts']) {
    this.parts = parts
  }
}

/** A request that fits the document and still cannot be done. */
export class ControlError {
  readonly status: number
  readonly error: string
  constructor(status: number, error: string) {
    this.status = status
    this.error = error
  }
}

/** What the edge asks of the control plane. */
export interface Control {
  /** Why a request is not let in, decided without its body, so that nobody is made to read a stranger's; undefined: it is. */
  readonly refusal: (head: SimRequest) => Reply | undefined
  /** `gone`: aborted once the asker has gone. */
  readonly answer: (request: SimRequest, gone: AbortSignal) => Promise<Reply>
}

/** The control plane: the document says which operations there are, a handler by the same id does each. */
export function createControl(
  contract: Contract,
  handlers: Readonly<Record<string, ControlHandler>>,
  settings: GuardSettings,
  log: Log,
): Control {
  for (const { id } of contract.operations) {
    if (!handlers[id]) throw new Error(`the control operation ${id} has no handler`)
  }
  const refusal = (request: SimRequest) => guard(request, settings, isHealth(matchOf(contract, request)))
  return {
    refusal,
    async answer(request, gone) {
      try {
        return refusal(request) ?? (await answer(contract, handlers, request, gone))
      } catch (error) {
        return failed(request, error, log)
      }
    },
  }
}

function failed({ id }: SimRequest, error: unknown, log: Log): Reply {
  if (error instanceof StoreWriteError) {
    log.error({ requestId: id, reason: error.message }, 'the state cannot be written')
    return refuse(500, error.message, 'simulator')
  }
  log.error({ requestId: id, err: error }, 'a bug in the control plane')
  return refuse(500, 'Internal error of the simulator; its log tells more.', 'simulator')
}

/** Health checks of scripts ask with HEAD; Node leaves the body out. */
const matchOf = (contract: Contract, { method, path }: SimRequest) =>
  contract.match(method === 'HEAD' ? 'GET' : method, path)

const isHealth = (match: OperationMatch) => match.kind === 'operation' && match.operation.id === 'getHealth'

async function answer(
  contract: Contract,
  handlers: Readonly<Record<string, ControlHandler>>,
  request: SimRequest,
  gone: AbortSignal,
): Promise<Reply> {
  const match = matchOf(contract, request)
  if (match.kind === 'wrong-method') return wrongMethod(request, match.allowed)
  if (match.kind !== 'operation') return unknownPath(contract, request.path)
  const parameters = readParameters(match.operation, match.path, request, isHealth(match))
  if (!parameters.ok) return refuse(400, parameters.problem, 'simulator')
  const read = readBody(match.operation, request)
  if (!read.ok) return refuse(read.status, read.problem, 'simulator')
  const all = [...parameters.violations, ...read.violations]
  if (all.length > 0) return refuse(400, sentenceOf(all), 'simulator')
  const { headers, elapsed } = request
  const asked = { parameters: parameters.values, body: read.body, headers, elapsed, gone }
  const outcome = await handlers[match.operation.id]?.(asked)
  if (outcome instanceof ControlError) return refuse(outcome.status, outcome.error, 'simulator')
  return answerOf(match.operation, outcome, request.method === 'HEAD')
}

function answerOf(
  { successStatus }: Operation,
  outcome: Json | CustomReply | undefined,
  onlyHead: boolean,
): Reply {
  const headers = { 'Cache-Control': 'no-store' }
  const plain = { status: successStatus, headers, body: undefined, origin: 'simulator' } as const
  if (!(outcome instanceof CustomReply)) return { ...plain, body: outcome }
  const { stream, ...others } = outcome.parts
  return { ...plain, ...others, ...(stream && !onlyHead && { stream }) }
}

type ReadParameters =
  | { readonly ok: true; readonly values: ParameterValues; readonly violations: readonly Violation[] }
  | { readonly ok: false; readonly problem: string }

/** `lenient`: for health, which is asked by tools that add to the query what they like. */
function readParameters(
  operation: Operation,
  path: RawParameters['path'],
  request: SimRequest,
  lenient: boolean,
): ReadParameters {
  const stranger = Object.keys(request.headers).find(
    (name) => name.startsWith('x-sim-') && name !== 'x-sim-sandbox',
  )
  if (stranger !== undefined && !lenient)
    return { ok: false, problem: `The control plane knows no header "${stranger}", only x-sim-sandbox.` }
  const query = readQuery(request.query)
  const named = request.headers['x-sim-sandbox']
  if (named !== undefined && query['sandbox'] !== undefined && named !== query['sandbox'])
    return { ok: false, problem: 'X-Sim-Sandbox and ?sandbox= name two sandboxes.' }
  // The header names the sandbox here as it does for the service; what belongs to the process has none to name.
  const sent = named === undefined ? query : { ...query, sandbox: named }
  const read = operation.readParameters({ path, query: sent, header: {} })
  const stray = Object.keys(query).find((name) => !Object.hasOwn(read.values.query, name))
  // A misspelt `sandbox` must not mean the default one.
  if (stray !== undefined && read.violations.length === 0 && !lenient)
    return { ok: false, problem: `${operation.id} has no parameter "${stray.slice(0, 80)}".` }
  return { ok: true, ...read }
}

type ReadBody =
  | { readonly ok: true; readonly body: Json | undefined; readonly violations: readonly Violation[] }
  | { readonly ok: false; readonly status: number; readonly problem: string }

function readBody(operation: Operation, { body, headers }: SimRequest): ReadBody {
  if (body.kind === 'unreadable') return { ok: false, status: body.status, problem: body.reason }
  if (body.kind === 'broken-off') return { ok: false, status: 400, problem: abortedMessage }
  const contentType = headers['content-type']
  const isJson = /^application\/json\s*(;|$)/i.test(contentType ?? '')
  if (!isJson && (contentType !== undefined || body.kind === 'bytes')) {
    const problem = `The control plane takes JSON: send Content-Type: application/json; got "${(contentType ?? '').slice(0, 80)}".`
    return { ok: false, status: 415, problem }
  }
  if (!operation.body || body.kind === 'absent') {
    return operation.body?.required
      ? { ok: false, status: 400, problem: 'A JSON body is required.' }
      : nothing
  }
  const read = readJson(body.bytes)
  if (!read.ok)
    return {
      ok: false,
      status: 400,
      problem: `Invalid request: body${read.error.pointer}: ${read.error.message}.`,
    }
  return { ok: true, body: read.value, violations: operation.checkBody('application/json', read.value) }
}

const nothing = { ok: true, body: undefined, violations: [] } as const

function wrongMethod({ method, path }: SimRequest, allowed: readonly string[]): Reply {
  const list = allowed.join(', ')
  return refuse(405, `${method} is not allowed on ${asked(path)}. Allowed: ${list}.`, 'simulator', {
    Allow: list,
  })
}

function unknownPath(contract: Contract, path: string): Reply {
  const known = contract.operations.map(
    (operation) => `${operation.method} ${contract.basePath}${operation.path}`,
  )
  if (!path.startsWith(wiremockPath))
    return refuse(404, `Nothing is served at ${path}. The controls are: ${known.join(', ')}.`, 'simulator')
  const there = known.filter((one) => one.includes(` ${wiremockPath}`)).map(asked)
  const error = `Nothing is served at ${asked(path)}. Of WireMock's there are: ${there.join(', ')}; the simulator's own controls are under ${contract.basePath}.`
  return refuse(404, error, 'simulator')
}

/** Where the edge brings what scripts written for WireMock ask. */
const wiremockPath = '/__sim/wiremock'

/** The path as those scripts know it. */
function asked(path: string): string {
  return path.replace(wiremockPath, '/__admin')
}
