import type { Body } from './body.ts'

/** The cause of a reply; `gateway`: a simulated one before the service; `upstream`: the real service of a proxy. */
export type Origin = 'contract' | 'scenario' | 'gateway' | 'simulator' | 'upstream'

export interface Reply {
  readonly status: number
  /** Names as they are sent; `Content-Type` and `Content-Length` are added by `http/`. */
  readonly headers: Readonly<Record<string, string>>
  /** Lines of the real service, names and values in turn, written unchanged in place of those of `headers`. */
  readonly rawHeaders?: readonly string[]
  readonly body: Body | undefined
  readonly origin: Origin
  /** Chunks in place of a body; absent for a reply with a body, or with none. */
  readonly stream?: ReplyStream
  /** The body of the real service, passed on while it arrives, in place of a body; absent for every other reply. */
  readonly relay?: RelayedBody
  /** The bytes that passed of a relayed body that is recorded in part; absent: `body` is whole. */
  readonly passedBytes?: number
  /** Values of `Set-Cookie`, which is the only header that may be repeated and not joined; absent for none. */
  readonly cookies?: readonly string[]
}

export interface RelayedBody {
  /** The media type, or undefined if the service named none. */
  readonly mediaType: string | undefined
  /** The bytes that the service announced, if any. */
  readonly length: number | undefined
  /** Yields the bytes as they arrive, no faster than taken. Throws if the service breaks the connection off. */
  chunks(): AsyncIterable<Uint8Array>
}

/** A body that is sent in chunks of text, until they end or the client has gone. */
export interface ReplyStream {
  readonly mediaType: string
  chunks(clientGone: AbortSignal): AsyncIterable<string>
}
