/**
 * `service/exchange/`: the types and helpers for one HTTP exchange (request, reply, delivery, refusals and matching).
 * This file defines the request; `reply.ts` defines the reply and its delivery.
 */

import { parse } from 'node:querystring'
import { LruCache } from '../../base/core/memoize.ts'

/** A request body as read from the socket, not yet parsed. */
export type RequestBody =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A body that exceeds the limit or could not be decoded. `status` is 413, 415 or 400. */
  | { readonly kind: 'unreadable'; readonly status: number; readonly reason: string }
  /** The client disconnected before the end of the body, so it cannot receive a reply. */
  | { readonly kind: 'aborted' }
  /** A body that was read and then released to save memory. */
  | { readonly kind: 'released'; readonly size: number }

/** The connection of a request to the service. Times are in milliseconds on the process's monotonic clock. */
export interface Connection {
  /** The time of the connection's first request to the service; this time also identifies the connection. */
  readonly connectedAt: number
  /** The `connectedAt` of each connection that was open on receipt of the request, including this one; at most 100. */
  readonly openTimes: readonly number[]
}

export interface SimRequest {
  /** The request's key in the journal, unique in the process; returned as `X-Request-Id`. */
  readonly id: string
  /** The time of receipt on the machine's clock, in epoch milliseconds. */
  readonly at: number
  /** The time of receipt on the process's monotonic clock, in fractional milliseconds. */
  readonly receivedAt: number
  /** When the client opened the connection, on the monotonic clock; set only for a connection's first request. */
  readonly openedAt: number | undefined
  /** Absent for a request without a socket. */
  readonly connection?: Connection
  /** Returns the number of milliseconds since the request was received, on the monotonic clock. */
  readonly elapsed: () => number
  /** Calls `onGone` if the client closes its connection. Returns a function to unsubscribe. Absent without a socket. */
  readonly watchClient?: (onGone: () => void) => () => void
  readonly isEncrypted?: boolean | undefined
  readonly method: string
  /** The path as sent, percent-encoded and without the query. */
  readonly path: string
  /** The query as sent, without the question mark; empty if there is none. */
  readonly query: string
  /** Headers by lower-case name. Repeats are joined or, for a header such as `Content-Type`, ignored. */
  readonly headers: Readonly<Record<string, string>>
  /** The header lines as sent: alternating names and values. Absent for a request without a socket. */
  readonly rawHeaders?: readonly string[]
  readonly body: RequestBody
}

/** Releases the bytes of a body in place, because code that awaits the response keeps the request in memory. */
export function releaseBody(request: { body: RequestBody }): void {
  const { body } = request
  if (body.kind === 'bytes') request.body = { kind: 'released', size: body.bytes.length }
}

/** Creates a request without a socket, received at time 0 unless `at` is passed. `target` is the path and query. */
export function createRequest(
  { target, ...given }: Pick<SimRequest, 'id' | 'method' | 'headers' | 'body'> & { readonly target: string },
  at = 0,
): SimRequest {
  const [path = '', ...query] = target.split('?')
  return { at, receivedAt: 0, openedAt: undefined, elapsed: () => 0, path, query: query.join('?'), ...given }
}

type Query = Readonly<Record<string, string | readonly string[]>>

/** Most requests repeat one of a few queries. Without this cache, a GET with a cached response takes 4 µs longer. */
const parsedQueries = new LruCache<Query>(100)

/** Parses a query string: `a=1&a=2` becomes `{ a: ['1', '2'] }`. The result is frozen and shared between calls. */
export function readQuery(query: string): Query {
  // `parse` never sets a member to undefined.
  return parsedQueries.get(query, () => freezeQuery(parse(query, '&', '=', { maxKeys: 0 }) as Query))
}

function freezeQuery(query: Query): Query {
  for (const value of Object.values(query)) Object.freeze(value)
  return Object.freeze(query)
}

/** The outcomes that a negative test can declare: breaking the contract, or getting a status of 400 or more. */
export const expectations = ['violation', 'refusal'] as const

export type Expectation = (typeof expectations)[number]

type Headers = Readonly<Record<string, string>>

export const expectationHeader = 'x-sim-expect'

/** Returns the outcome that a request declares; undefined if the header is absent or has an unknown value. */
export const readExpectation = ({ [expectationHeader]: value }: Headers) =>
  value === undefined ? undefined : expectations.find((known) => known === value)

/**
 * The header that marks a request as a replay of a recorded request, as in `X-Sim-Replay-Of: req-7`. Replays come from
 * the console and other tools, not from the client under test.
 */
export const replayHeader = 'x-sim-replay-of'

/** Returns the replayed request's ID: `req-7` or, with replicas, `req-3f2a91c0-7`; undefined for other values. */
export function readReplayOf({ [replayHeader]: value }: Headers): string | undefined {
  return value !== undefined && /^req-(?:[\da-f]{8}-)?[1-9]\d{0,15}$/.test(value) ? value : undefined
}

/** Matches a `traceparent` (W3C Trace Context): version, trace ID, parent ID, flags. Version 00 has no other fields. */
const traceParent = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/

/** Returns the trace ID of a `traceparent` header; undefined if the header is absent or invalid. */
export const readTraceId = (header: string | undefined) => traceParent.exec(header ?? '')?.[1]

/**
 * Returns true if a header such as `Accept` or `Accept-Encoding` lists `name` with a weight above 0. For example,
 * browsers list `text/html`. Wildcards, which curl and `fetch` send, do not count.
 */
export function accepts(list: string | undefined, name: string): boolean {
  const items = list?.toLowerCase().split(',') ?? []
  return items.some((item) => {
    const [value, ...parameters] = item.split(';').map((part) => part.trim())
    return value === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
