/**
 * The vocabulary of one HTTP exchange: request, reply, delivery, refusals, decision trace.
 * This file has the request, `reply.ts` the reply, and `delivery.ts` the ways to write a reply to the socket.
 */

/** A request body as it was read from the socket. It is not parsed yet. */
export type RequestBody =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Larger than the limit, or in an encoding that could not be decoded. `status`: 413, 415 or 400. */
  | { readonly kind: 'unreadable'; readonly status: number; readonly reason: string }
  /** The client disconnected before the end of the body: no reply can reach it. */
  | { readonly kind: 'aborted' }
  /** Read and released, since the response takes long. */
  | { readonly kind: 'released'; readonly size: number }

export interface SimRequest {
  /** The journal's key, unique in the process; sent back as `X-Request-Id`. */
  readonly id: string
  /** The machine's time of receipt, epoch milliseconds. */
  readonly at: number
  /** The time of receipt by the process's monotonic clock, milliseconds with fractions. */
  readonly receivedAt: number
  /** The time at which the client opened the connection, for its first request only, by the same clock. */
  readonly openedAt: number | undefined
  /** Returns the milliseconds since the receipt, by a monotonic clock. */
  readonly elapsed: () => number
  /** Calls `onGone` if the client closes its connection, and returns the end of the watch. Absent without a client. */
  readonly watchClient?: (onGone: () => void) => () => void
  /** Upper case. */
  readonly method: string
  /** The path as sent: percent-encoding untouched, no query. */
  readonly path: string
  /** The query as sent, without the question mark; empty without a query. */
  readonly query: string
  /** Lower-case names. Repeated headers are joined with commas; of a single value (`Content-Type`) the first counts. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: RequestBody
}

/** Releases the bytes of a body in place, since whoever waits for the response holds the request. */
export function releaseBody(request: { body: RequestBody }): void {
  const { body } = request
  if (body.kind === 'bytes') request.body = { kind: 'released', size: body.bytes.length }
}

/** Creates a request that came over no socket, received at 0 unless `at` says otherwise. `target`: path and query. */
export function createRequest(
  { target, ...given }: Pick<SimRequest, 'id' | 'method' | 'headers' | 'body'> & { readonly target: string },
  at = 0,
): SimRequest {
  const [path = '', ...query] = target.split('?')
  return { at, receivedAt: 0, openedAt: undefined, elapsed: () => 0, path, query: query.join('?'), ...given }
}
