import type { Operation, ParameterValues, RawParameters } from '../contract/contract.ts'
import type { Awaitable } from '../core/awaitable.ts'
import type { Json } from '../core/json.ts'
import type { Result } from '../core/result.ts'
import { type JsonError, readJson } from '../core/strict-json.ts'
import type { Violation } from '../documents/violation.ts'
import type { Sandbox } from '../sandboxes/sandboxes.ts'
import type { ActiveScenario } from '../scenarios/catalogue.ts'
import type { DataOverrides } from '../scenarios/effects.ts'
import type { WriteContext } from '../state/store.ts'

/** A request body as the edge read it. Nothing is decided about it yet. */
export type RequestBody =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Larger than the limit, or in an encoding that could not be undone. `status` is what HTTP says of it. */
  | { readonly kind: 'unreadable'; readonly status: number; readonly reason: string }
  /** The client went away before the end of it: nobody hears the answer. */
  | { readonly kind: 'broken-off' }

/** A request as the edge read it. */
export interface SimRequest {
  /** Unique in the process: the journal's key, sent back as `X-Request-Id`. */
  readonly id: string
  /** The machine's time of receipt, epoch milliseconds. */
  readonly at: number
  /** Milliseconds since the receipt, by a clock that never goes back. */
  readonly elapsed: () => number
  /** Upper case. */
  readonly method: string
  /** As sent: percent-encoding untouched, no query. */
  readonly path: string
  /** As sent, without the question mark; empty for none. */
  readonly query: string
  /** Lower-case names. Repeated ones are joined with commas; of those that can have one value (`Content-Type`) the first counts. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
}

/** Who caused an answer: the service's contract, a scenario that was asked for, or the simulator itself. */
export type Origin = 'contract' | 'scenario' | 'simulator'

/** An answer as a value. Only `http/` turns it into bytes on a socket. */
export interface Reply {
  readonly status: number
  /** Names as they are to be sent; `Content-Type` and `Content-Length` are the edge's business. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: an answer without a body. */
  readonly body: Json | undefined
  readonly origin: Origin
  /** Of a body that is text and not JSON: `text/plain; charset=utf-8`. */
  readonly mediaType?: string | undefined
  /** The body as it goes onto the wire, where it was made already. Whoever changes `body` has to take it away. */
  readonly bytes?: Uint8Array | undefined
  /** Of a body that is given out again and again. Whoever changes `body` has to take it away. */
  readonly cached?: CachedBody | undefined
  /** In place of a body: text of the media type, bit by bit until it ends or the client has gone. */
  readonly stream?: ((gone: AbortSignal) => AsyncIterable<string>) | undefined
}

/** What was found out about a body that never changes, so that it need not be found out again. */
export interface CachedBody {
  bytes: Uint8Array | undefined
  /** The operation whose success it is by the contract; undefined until it was checked. */
  fits: Operation | undefined
}

/** The body as it goes onto the wire; empty for none. */
export function bytesOf(reply: Reply): Uint8Array {
  if (reply.bytes) return reply.bytes
  if (!reply.cached) return encoded(reply)
  // In memory of its own: what is made small enough comes from a pool that it would hold on to.
  reply.cached.bytes ??= new Uint8Array(encoded(reply))
  return reply.cached.bytes
}

function encoded({ body, mediaType }: Reply): Uint8Array {
  if (body === undefined) return noBytes
  return Buffer.from(mediaType !== undefined && typeof body === 'string' ? body : JSON.stringify(body))
}

const noBytes = new Uint8Array(0)

/** How an answer gets onto the wire. Everything but `whole` is damage that somebody asked for. */
export type DeliveryMode =
  | { readonly kind: 'whole' }
  /** The body in so many pieces, over so many milliseconds. */
  | { readonly kind: 'dribble'; readonly ms: number; readonly pieces: number }
  /** Nothing, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** TCP RST. */
  | { readonly kind: 'reset' }
  /** The connection closed, without a byte. */
  | { readonly kind: 'empty' }
  /** The first `keep` (0 to 1) of the body under the whole body's Content-Length, then the end. */
  | { readonly kind: 'truncated'; readonly keep: number }
  /** The first `keep` (0 to 1) of the body, with a Content-Length that agrees. */
  | { readonly kind: 'malformed'; readonly keep: number }

export interface Delivery {
  /** Milliseconds before anything is sent. */
  readonly delayMs: number
  readonly mode: DeliveryMode
}

/** As the service would: at once, and whole. */
export const immediateDelivery: Delivery = { delayMs: 0, mode: { kind: 'whole' } }

/** A reply and how it gets onto the wire. */
export interface OutgoingReply {
  readonly reply: Reply
  readonly delivery: Delivery
  /** The time that the answer claims to be from, epoch milliseconds; undefined: the machine's. */
  readonly date: number | undefined
}

/** What an `Authorization` header says. */
export type Bearer =
  | { readonly ok: true; readonly token: string; readonly sandbox: string | undefined }
  | { readonly ok: false; readonly problem: string }

/** Who asks, as far as the bearer token tells. */
export interface Caller {
  /** The token without a sandbox suffix. Never logged, never stored. */
  readonly token: string
  readonly plan: string
  /** The scenario that a magic token always leads to. */
  readonly scenario: string | undefined
}

/** One request on its way through the stages; each stage fills in what it finds out. */
export interface Exchange {
  readonly request: SimRequest
  sandbox: Sandbox
  /** The sandbox's seed, or the request's own. */
  seed: string
  /** The sandbox's time when the request came in, or the request's own; epoch milliseconds. One request sees one instant. */
  now: number
  /** The path behind the sandbox's base path. */
  path: string
  /** Set by `identify`. */
  operation: Operation | undefined
  pathParameters: Readonly<Record<string, string>>
  readonly bearer: Bearer
  /** Set by `authenticate`; undefined where the operation asks for no credential. */
  caller: Caller | undefined
  /** Set by `scenario`: what acts on this request, in the order it was asked for. */
  scenarios: readonly ActiveScenario[]
  /** Set by `scenario`: the scenarios that were asked for by the request itself, so that they must not fail silently. */
  requestedExplicitly: boolean
  /** Set by `scenario`: how the data family bends the answer. */
  dataOverrides: DataOverrides
  /** The parameters as they were sent, read when somebody first wants them; see `sentParameters`. */
  rawParameters: RawParameters | undefined
  /** The body as JSON, read when somebody first wants it; see `jsonOf`. */
  json: Result<Json, JsonError> | undefined
  /** Set by `validate`. */
  parameters: ParameterValues | undefined
  /** Set by `validate`; undefined where the operation takes no body. */
  body: Json | undefined
  /** Rules of the contract that the request broke. */
  violations: readonly Violation[]
  /** Rules of the contract that the answer breaks: by damage on purpose, or one of ours that was kept back. */
  answerViolations: readonly Violation[]
  /** What the service takes but a careful client would not send. */
  advice: readonly Violation[]
  /** Set by `scenario` and `damage`. */
  delivery: Delivery
  /** What was done to the answer on purpose, after it had passed the contract check: `drop-field at /messageCount`. */
  damage: readonly string[]
  /** Headers that the answer carries whatever it says: rate fields, `Preference-Applied`. */
  readonly extraHeaders: Record<string, string>
  /** Takes in why it becomes what it becomes; undefined where nobody asks. */
  readonly trace: DecisionTrace | undefined
}

/** Why a request got its answer. */
export interface DecisionTrace {
  /** The stage of the pipeline that answered. */
  stage: string
  /** The rule that acted; undefined: none did. */
  rule: { readonly scope: 'sandbox' | 'start-up'; readonly index: number } | undefined
  /** What was decided on the way, in sentences. */
  readonly notes: string[]
}

/** Makes a sandbox the exchange's own, with its seed and its instant. */
export function switchSandbox(exchange: Exchange, sandbox: Sandbox): void {
  exchange.sandbox.activeRequests -= 1
  sandbox.activeRequests += 1
  exchange.sandbox = sandbox
  exchange.seed = sandbox.seed
  exchange.now = sandbox.clock.now()
}

/** A stage answers, or lets the request go on. */
export type Stage = (exchange: Exchange) => Awaitable<Reply | undefined>

/** The operation of an exchange that `identify` let through. */
export function operationOf(exchange: Exchange): Operation {
  if (!exchange.operation) throw new Error('a stage needs the operation before identify has found it')
  return exchange.operation
}

/** The typed parameters of an exchange that `validate` let through. */
export function parametersOf(exchange: Exchange): ParameterValues {
  if (!exchange.parameters) throw new Error('a handler needs the parameters before validate has read them')
  return exchange.parameters
}

/** The request's body read as JSON, once; undefined where it has none. Whether it is right is for `validate` to say. */
export function jsonOf(exchange: Exchange): Result<Json, JsonError> | undefined {
  const { body } = exchange.request
  if (body.kind === 'bytes') exchange.json ??= readJson(body.bytes)
  return exchange.json
}

/** The JSON body of an exchange that `validate` let through. */
export function bodyOf(exchange: Exchange): Json {
  if (exchange.body === undefined) throw new Error('a handler needs a body that validate has not read')
  return exchange.body
}

/** In whose name the exchange changes the state. */
export function writeContextOf({ sandbox, seed, now }: Exchange): WriteContext {
  return { sandbox: sandbox.name, seed, now }
}
