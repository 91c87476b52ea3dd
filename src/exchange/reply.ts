import type { Body } from './body.ts'

/** The cause of a reply: the service's contract, a scenario that was switched on, or the simulator itself. */
export type Origin = 'contract' | 'scenario' | 'simulator'

/** A reply as a value. Only `http/` writes it to a socket. */
export interface Reply {
  readonly status: number
  /** Names as they are sent; `Content-Type` and `Content-Length` are added by `http/`. */
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: a reply without a body. */
  readonly body: Body | undefined
  readonly origin: Origin
  /** Chunks in place of a body; absent for a reply with a body, or with none. */
  readonly stream?: ReplyStream
}

/** A body that is sent in chunks of text, until they end or the client has gone. */
export interface ReplyStream {
  readonly mediaType: string
  chunks(clientGone: AbortSignal): AsyncIterable<string>
}
