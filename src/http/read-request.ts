import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SimRequest } from '../exchange/request.ts'
import { limitOf, readBody } from './read-body.ts'

/** Calls `then` with a request whose body was read, too: at once where it has none. */
export type ReadRequest = (
  req: IncomingMessage,
  res: ServerResponse,
  head: SimRequest,
  then: (request: SimRequest) => void,
) => void

/** Reads requests into values; a body that cannot be read is a value too. `bodyLimit` in bytes or as `1mb`. */
export function requestReader(bodyLimit: string): ReadRequest {
  const limit = limitOf(bodyLimit)
  return function readRequest(req, res, head, then) {
    readBody(req, res, limit, (body) => then(body.kind === 'absent' ? head : { ...head, body }))
  }
}

/** Path and query of what a request line asks for. Proxies send the absolute form, which means the same (RFC 9112, 3.2.2). */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const local = url.replace(/^https?:\/\/[^/?]*/i, '')
  return local === '' || local.startsWith('?') ? `/${local}` : local
}

/** A request of which nothing but the head was read. `target` is its path and query, whatever a router made of `req.url`. */
export function headOf(req: IncomingMessage, target: string, id: string): SimRequest {
  const at = Date.now()
  const received = performance.now()
  const elapsed = () => performance.now() - received
  const mark = target.indexOf('?')
  return {
    id,
    at,
    elapsed,
    method: req.method ?? '',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headersOf(req),
    body: { kind: 'absent' },
  }
}

function headersOf({ headers }: IncomingMessage): SimRequest['headers'] {
  const cookies = headers['set-cookie']
  const single = headers as SimRequest['headers'] // Node joins all others itself, or keeps the first
  return cookies === undefined ? single : { ...single, 'set-cookie': cookies.join(', ') }
}
