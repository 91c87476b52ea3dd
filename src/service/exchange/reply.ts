import type { Json } from '../../base/core/json.ts'
import { once } from '../../base/core/memoize.ts'
import { fromLatin1, toLatin1, utf8ToLatin1 } from '../../base/core/text.ts'

/** The source of a reply. `gateway` is a simulated gateway; `upstream` is the real service behind a proxy. */
export type Origin = 'contract' | 'scenario' | 'gateway' | 'simulator' | 'upstream'

export interface Reply {
  readonly status: number
  /** Headers by name, in the letter case to send; `server/http/` adds `Content-Type` and `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>
  /** The real service's header lines as alternating names and values, which are sent unchanged instead of `headers`. */
  readonly rawHeaders?: readonly string[]
  readonly body: Body | undefined
  readonly origin: Origin
  /** Chunks sent instead of `body`; absent if the reply is not a stream. */
  readonly stream?: ReplyStream
  /** The real service's body, sent as it arrives instead of `body`; absent if the reply is not relayed. */
  readonly relay?: RelayedBody
  /** The number of relayed bytes, if `body` contains only some of them; absent if `body` is complete. */
  readonly passedBytes?: number
  /** Values of `Set-Cookie`, the only header whose lines cannot be joined into one; absent if there are none. */
  readonly cookies?: readonly string[]
}

export interface RelayedBody {
  /** The media type, or undefined if the service did not send one. */
  readonly mediaType: string | undefined
  /** The service's `Content-Length`; undefined if the service did not send one. */
  readonly length: number | undefined
  /** Yields the bytes as they arrive, no faster than they are consumed. Throws if the service aborts the connection. */
  chunks(): AsyncIterable<Uint8Array>
}

/** A body that is sent in chunks of text. It ends after the last chunk, or when the client disconnects. */
export interface ReplyStream {
  readonly mediaType: string
  chunks(exchangeEnded: AbortSignal): AsyncIterable<string>
}

/** The body of a reply. It is immutable, so the encoded body can be computed once and shared. */
export interface Body {
  readonly value: Json
  /** The value of `Content-Type`; for most JSON, `application/json; charset=utf-8`. */
  readonly mediaType: string
  /** True for the body of an exact response or requested example. Such a body need not follow `x-simulated-values`. */
  readonly isExact?: true
  /** True for a body from the document's examples or schemas. Any errors in such a body come from the document. */
  readonly isDocumented?: true
  /** Returns the encoded body, one character per byte. The first call encodes the body. */
  latin1(): string
  bytes(): Uint8Array
}

/** Creates a JSON body, optionally with a different JSON media type. The caller must not change the value afterward. */
export function jsonBody(value: Json, mediaType = 'application/json; charset=utf-8'): Body {
  return createBody(value, mediaType, () => JSON.stringify(value))
}

export const exactBody = (value: Json): Body => ({ ...jsonBody(value), isExact: true })

export const textBody = (text: string, mediaType: string): Body => createBody(text, mediaType, () => text)

export function encodedBody(bytes: Uint8Array, mediaType: string, value: Json = null): Body {
  return { value, mediaType, latin1: once(() => toLatin1(bytes)), bytes: () => bytes }
}

function createBody(value: Json, mediaType: string, text: () => string): Body {
  const latin1 = once(() => utf8ToLatin1(text()))
  return { value, mediaType, latin1, bytes: once(() => fromLatin1(latin1())) }
}

/** How a reply is written to the socket. Only scenarios use modes other than `whole`. */
export type DeliveryMode =
  | { readonly kind: 'whole' }
  /** The whole body in pieces, evenly spread over `ms` milliseconds. */
  | { readonly kind: 'dribble'; readonly ms: number; readonly pieces: number }
  /** Nothing is sent, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** A TCP reset (RST). */
  | { readonly kind: 'reset' }
  | { readonly kind: 'empty' }
  /** Only the first part of the body (fraction `keep`), with the full Content-Length; then the connection closes. */
  | { readonly kind: 'truncated'; readonly keep: number }
  /** Only the first part of the body (fraction `keep`), with a matching Content-Length. */
  | { readonly kind: 'malformed'; readonly keep: number }

export const usableDeliveries: readonly string[] = ['whole', 'dribble'] satisfies DeliveryMode['kind'][]

/** How a delivery ended, and how much of the reply was sent. */
export type DeliveryOutcome =
  /** The whole reply was passed to the operating system, on a connection that the client had not closed. */
  | { readonly kind: 'delivered' }
  /** The client closed the connection early. `sentBytes` is the number of body bytes sent, counted in whole chunks. */
  | { readonly kind: 'client-gone'; readonly sentBytes: number }
  /** The simulator shut down without waiting for the delivery, which was too slow. `sentBytes` is as above. */
  | { readonly kind: 'server-stopped'; readonly sentBytes: number }
  /** The real service behind a proxy aborted its response, so the proxy aborted, too. `sentBytes` is as above. */
  | { readonly kind: 'upstream-gone'; readonly sentBytes: number }
  /** A scenario damaged the delivery, so that no usable reply was sent. */
  | { readonly kind: 'damaged' }

export const delivered: DeliveryOutcome = { kind: 'delivered' }

export interface ClientObservation {
  /** When the head was sent, in milliseconds on the process's monotonic clock; undefined if no head was sent. */
  readonly headSentAt: number | undefined
  /** True if the client closed the connection before the reply ended, or might not have read the reply. */
  readonly hasClientLeft: boolean
}

const withoutHead: readonly string[] = ['reset', 'empty']

export function expectedEnd({ mode: { kind } }: Delivery, now: number) {
  return {
    delivery: usableDeliveries.includes(kind) ? delivered : ({ kind: 'damaged' } as const),
    hasClientLeft: false,
    headSentAt: withoutHead.includes(kind) ? undefined : now,
    endedAt: now,
  }
}

/** A client that disconnects within this many milliseconds after the head is sent might not have read the head. */
const unseenMs = 250

/** The shortest timeout that clients are assumed to have, in milliseconds. */
const shortestTimeoutMs = 100

/** Returns true if a client closed its connection so soon after a late head that it might not have read the head. */
export function mayBeUnread(
  { receivedAt, headSentAt }: { readonly receivedAt: number; readonly headSentAt: number | undefined },
  closedAt: number,
): boolean {
  if (headSentAt === undefined) return false
  return headSentAt - receivedAt >= shortestTimeoutMs && closedAt - headSentAt < unseenMs
}

export interface Delivery {
  readonly delayMs: number
  readonly mode: DeliveryMode
}

/** A delivery like the real service's: immediate and complete. */
export const immediateDelivery: Delivery = { delayMs: 0, mode: { kind: 'whole' } }

export interface OutgoingReply {
  readonly reply: Reply
  readonly delivery: Delivery
  /** The time in the `Date` header, in epoch milliseconds; undefined for the machine's time. */
  readonly date: number | undefined
  /** Called once, when the delivery has ended; `observation` is absent without a socket. */
  readonly onEnd?: (outcome: DeliveryOutcome, observation?: ClientObservation) => void
  /** Called once after `onEnd` if the client leaves before its next request; `isReset` is true for a TCP reset. */
  readonly onLeave?: (isReset: boolean) => void
}

export const isLong = ({ delayMs, mode }: Delivery): boolean =>
  delayMs > 0 || mode.kind === 'hang' || mode.kind === 'dribble'
