import type { Operation } from '../contract/contract.ts'
import type { Json } from '../core/json.ts'

/** The cause of a reply: the service's contract, a scenario that was switched on, or the simulator itself. */
export type Origin = 'contract' | 'scenario' | 'simulator'

/** A reply as a value. Only `http/` writes it to a socket. */
export interface Reply {
  readonly status: number
  /** Names as they are sent; `Content-Type` and `Content-Length` are added by `http/`. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: a reply without a body. */
  readonly body: Json | undefined
  readonly origin: Origin
  /** The type of a body that is text and not JSON: `text/plain; charset=utf-8`. */
  readonly mediaType?: string | undefined
  /** The encoded body, once it was encoded. A change of `body` must remove it. */
  readonly bytes?: Uint8Array | undefined
  /** Results shared by all replies with the same body. A change of `body` must remove it. */
  readonly cached?: CachedBody | undefined
  /** In place of a body: chunks of text of the media type, until they end or the client has gone. */
  readonly stream?: ((gone: AbortSignal) => AsyncIterable<string>) | undefined
}

/** Results about a body that is sent many times, so that they are computed once. */
export interface CachedBody {
  bytes: Uint8Array | undefined
  /** The operation whose success schema the body fits; undefined until it was checked. */
  fits: Operation | undefined
}

/** Returns the encoded body; empty for a reply without one. */
export function bytesOf(reply: Reply): Uint8Array {
  if (reply.bytes) return reply.bytes
  if (!reply.cached) return encode(reply)
  // A copy with memory of its own: a small Buffer is a view of Node's shared pool and would keep all of it alive.
  reply.cached.bytes ??= new Uint8Array(encode(reply))
  return reply.cached.bytes
}

function encode({ body, mediaType }: Reply): Uint8Array {
  if (body === undefined) return noBytes
  return Buffer.from(mediaType !== undefined && typeof body === 'string' ? body : JSON.stringify(body))
}

const noBytes = new Uint8Array(0)
