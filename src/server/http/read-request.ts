import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { machineNow, monotonicNow } from '../../base/core/timers.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { type BodyLimit, readBody } from './read-body.ts'

/** The opening times of connections that have sent no request yet, by the process's monotonic clock, milliseconds. */
const openingTimes = new WeakMap<Socket, number>()

/** Stores the present time as the opening time of a connection. */
export function storeOpeningTime(socket: Socket): void {
  openingTimes.set(socket, monotonicNow())
}

/** Calls `then` with head and body, immediately if a request has no body. A body that cannot be read is a value. */
export function readRequest(
  req: IncomingMessage,
  res: ServerResponse,
  limit: BodyLimit,
  head: SimRequest,
  then: (request: SimRequest) => void,
): void {
  readBody(req, res, limit, (body) => then(body.kind === 'absent' ? head : { ...head, body }))
}

/**
 * Reduces the request target to path and query. The host of an absolute one, with scheme and host, takes the place of
 * the Host header (RFC 9112, 3.2.2).
 */
export function toOriginForm(req: IncomingMessage): string {
  const { url = '' } = req
  const [scheme, host] = /^https?:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(url) ?? []
  if (scheme === undefined || host === undefined) return url
  req.headers.host = host
  // The raw headers, too: by these `readHeaders` recognises the headers of the request before.
  req.rawHeaders = [...req.rawHeaders, 'Host', host]
  const path = url.slice(scheme.length)
  return path.startsWith('/') ? path : `/${path}`
}

/** Reads the head of a request. `target` is the path and query, because a router changes `req.url`. */
export function readHead(req: IncomingMessage, target: string, id: string): SimRequest {
  const at = machineNow()
  const receivedAt = monotonicNow()
  const openedAt = openingTimes.get(req.socket) // for the first request of the connection alone
  openingTimes.delete(req.socket)
  const queryStart = target.indexOf('?')
  return {
    id,
    at,
    receivedAt,
    openedAt,
    elapsed: () => monotonicNow() - receivedAt,
    watchClient: (onGone) => watchClose(req.socket, onGone),
    method: req.method ?? '',
    path: queryStart < 0 ? target : target.slice(0, queryStart),
    query: queryStart < 0 ? '' : target.slice(queryStart + 1),
    headers: readHeaders(req),
    body: { kind: 'absent' },
  }
}

/** Calls `onClose` once a connection has closed, at once if it has. Returns the function that ends the watch. */
function watchClose(socket: Socket, onClose: () => void): () => void {
  if (socket.destroyed) onClose()
  socket.setMaxListeners(0) // one for each pipelined request, of which there may be any number
  socket.once('close', onClose)
  return () => socket.off('close', onClose)
}

const readHeaders = (() => {
  let lastRaw: readonly string[] = []
  let last: SimRequest['headers'] = {}
  return (req: IncomingMessage) => {
    const { rawHeaders } = req
    if (rawHeaders.length !== lastRaw.length || rawHeaders.some((text, at) => text !== lastRaw[at])) {
      lastRaw = rawHeaders
      last = joinCookies(req.headers)
    }
    return last
  }
})()

function joinCookies(headers: IncomingMessage['headers']): SimRequest['headers'] {
  const cookies = headers['set-cookie']
  const single = headers as SimRequest['headers'] // Node joins other repeated headers, or takes the first
  return cookies === undefined ? single : { ...single, 'set-cookie': cookies.join(', ') }
}
