import type { Json } from '../../base/core/json.ts'
import type { Violation } from '../../base/core/violation.ts'
import type { ParameterValues } from '../../service/contract/contract.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { defaultSandbox, type Sandboxes } from '../sandboxes/sandboxes.ts'
import type { ControlOperationId } from './operation-ids.ts'

/** A request to a control operation, checked against `spec/control.openapi.yaml`. */
export interface ControlRequest {
  /** The name of the sandbox, `default` if none is sent. An operation that accepts `*` uses `sandboxFilter` instead. */
  readonly sandbox: string
  /** The same name for operations that accept `*`; undefined: all sandboxes. */
  readonly sandboxFilter: string | undefined
  /** Typed by the document, with its defaults. */
  readonly parameters: ParameterValues
  /** Undefined where the operation takes no body, or the client sent none. */
  readonly body: Json | undefined
  /** Rules that the body breaks, for operations that take rules, whose handlers report wrong names, too; else empty. */
  readonly bodyViolations: readonly Violation[]
  readonly source: SimRequest
  /** Aborted when the client closes its connection. */
  readonly clientGone: AbortSignal
}

/** The outcome of a control operation: the JSON body of the documented success status, another reply, or a refusal. */
export type ControlOutcome = Json | JsonPieces | ControlError | CustomReply

export type ControlHandler = (request: ControlRequest) => ControlOutcome | Promise<ControlOutcome>

/** One handler for each operation of the control document. */
export type ControlHandlers = Readonly<Record<ControlOperationId, ControlHandler>>

/** JSON that is written while the client reads it: `new JsonPieces(jsonPieces({ events, total }))`. */
export class JsonPieces {
  readonly pieces: Iterable<string> | AsyncIterable<string>
  readonly mediaType: string
  constructor(pieces: JsonPieces['pieces'], mediaType = 'application/json; charset=utf-8') {
    this.pieces = pieces
    this.mediaType = mediaType
  }
}

/** A reply that is no JSON, or not of the lowest success status: `new CustomReply({ body: textBody(page, type) })`. */
export class CustomReply {
  readonly parts: Partial<Pick<Reply, 'status' | 'headers' | 'body' | 'stream'>>
  constructor(parts: CustomReply['parts']) {
    this.parts = parts
  }
}

/** A refusal: `new ControlError(404, 'The sandbox has no snapshot 7.')`. */
export class ControlError {
  readonly status: number
  readonly error: string
  readonly headers: Reply['headers']
  constructor(status: number, error: string, headers: Reply['headers'] = {}) {
    this.status = status
    this.error = error
    this.headers = headers
  }
}

/** Refuses a request for which the memory would not suffice if every client sent it at the same time. */
export const refuseBusy = (reason: string): ControlError =>
  new ControlError(429, `${reason} Send the request again when one of them has ended.`, { 'Retry-After': '1' })

/** Refuses a named sandbox that was never used, whose empty report would pass for a clean client. */
export function refuseUnused(sandbox: string | undefined, sandboxes: Pick<Sandboxes, 'has'>): ControlError | undefined {
  if (sandbox === undefined || sandbox === defaultSandbox || sandboxes.has(sandbox)) return undefined
  const error =
    `The sandbox "${sandbox}" was never used, or is deleted, so that nothing is known about it. ` +
    'GET /__sim/sandboxes lists those in use.'
  return new ControlError(404, error)
}
