import type { IncomingMessage } from 'node:http'
import { type CorsOrigins, isAllowedOrigin } from '../../base/core/origins.ts'
import type { Result } from '../../base/core/result.ts'
import { addDecision, type Exchange, type RequestStage } from '../../server/pipeline/exchange.ts'
import { decodeBody, readWhole, type UpstreamClient, type UpstreamRequest } from '../../server/upstream/client.ts'
import type { TrafficProblem } from '../../server/upstream/traffic/sample.ts'
import { refusals, refuse } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { SimRequest } from '../../service/exchange/request.ts'
import { maxCheckedBytes, RecordingRelay, toBody } from './upstream-body.ts'

/**
 * Creates the last request stage, which returns the real service's response, or a refusal if there is no usable
 * response. `corsOrigins`: the origins for which the proxy's CORS headers replace the service's.
 */
export function forwardRequest(basePath: string, upstream: UpstreamClient, corsOrigins: CorsOrigins): RequestStage {
  return async function forwardRequest(exchange): Promise<Reply> {
    const { body } = exchange.request
    if (body.kind === 'unreadable')
      return refuse(body.status, `${body.reason} The proxy did not forward the request.`, 'simulator')
    addDecision(exchange, `The request is forwarded to the real service at ${upstream.target.origin}.`)
    const request = createUpstreamRequest(exchange, basePath, upstream)
    const clientGone = new AbortController()
    const endWatch = exchange.request.watchClient?.(() => clientGone.abort())
    try {
      const reply = await receiveResponse(exchange, await upstream.send(request, clientGone.signal))
      if (clientGone.signal.aborted) return refusals.clientGone()
      const { origin } = exchange.request.headers
      return origin !== undefined && isAllowedOrigin(corsOrigins, origin) ? withoutCors(reply) : reply
    } finally {
      endWatch?.() // from now on, the delivery watches the client
    }
  }
}

function withoutCors(reply: Reply): Reply {
  const isOther = (name: string) => !/^access-control-/i.test(name)
  const others = Object.entries(reply.headers).filter(([name]) => isOther(name))
  const { rawHeaders } = reply
  return {
    ...reply,
    headers: Object.fromEntries(others),
    ...(rawHeaders && { rawHeaders: mapLines(rawHeaders, (name, value) => (isOther(name) ? value : undefined)) }),
  }
}

/** Replaces each header line's value. `replace` gets the name in lower case, and returns undefined to drop the line. */
function mapLines(lines: readonly string[], replace: (name: string, value: string) => string | undefined): string[] {
  return lines.flatMap((name, at) => {
    const value = at % 2 === 0 ? replace(name.toLowerCase(), lines[at + 1] ?? '') : undefined
    return value === undefined ? [] : [name, value]
  })
}

/** Returns the request to forward. The base path of the real service, if it has one, replaces the contract's. */
function createUpstreamRequest(
  exchange: Exchange,
  basePath: string,
  { target: { basePath: upstreamPath, token } }: UpstreamClient,
): UpstreamRequest {
  const { request, path } = exchange
  const isInBase = path === basePath || path.startsWith(`${basePath}/`)
  const target = upstreamPath !== '' && isInBase ? upstreamPath + path.slice(basePath.length) : path
  const authorization = authorizationOf(exchange, token)
  const own = {
    ...(authorization !== undefined && { Authorization: authorization }),
    // A response that a scenario changes is requested uncompressed.
    ...(mustBeWhole(exchange) && { 'Accept-Encoding': 'identity' }),
  }
  return {
    method: request.method,
    target: request.query === '' ? target : `${target}?${request.query}`,
    headers: forwardRequestHeaders(request, own),
    body: request.body.kind === 'bytes' ? request.body.bytes : undefined,
  }
}

function authorizationOf({ request, bearer }: Exchange, token: string | undefined): string | undefined {
  if (token !== undefined) return `Bearer ${token}`
  const sent = request.headers['authorization']
  return bearer.ok && bearer.sandbox !== undefined ? `Bearer ${bearer.token}` : sent
}

/** Returns true if a scenario changes the response's body or delivery mode, which requires the whole body. */
function mustBeWhole({ delivery, scenarios }: Exchange): boolean {
  if (delivery.mode.kind !== 'whole') return true
  return scenarios.some(({ definition, values }) => {
    const { kind } = definition.effect(values)
    return kind === 'drift' || kind === 'lose-ack'
  })
}

async function receiveResponse(exchange: Exchange, sent: Result<IncomingMessage, TrafficProblem>): Promise<Reply> {
  if (!sent.ok) return refuse(sent.error.problem === 'time-out' ? 504 : 502, sent.error.sentence, 'simulator')
  const response = sent.value
  const { headers, rawHeaders, cookies, mediaType, length } = forwardResponseHeaders(response)
  const status = response.statusCode ?? 502
  if (status < 200) {
    response.destroy()
    return refuse(502, `The real service responded with ${status}, which is not a final status.`, 'simulator')
  }
  const head = { status, headers, origin: 'upstream', ...(cookies.length > 0 && { cookies }) } as const
  if (!mustBeWhole(exchange))
    return { ...head, rawHeaders, body: undefined, relay: new RecordingRelay(response, mediaType, length) }
  const { 'content-encoding': encoding, ...others } = headers
  const bytes = await readWhole(response, maxCheckedBytes).catch(() => 'broken' as const)
  const scenarios = exchange.scenarios.map(({ text }) => text).join(', ')
  if (bytes === 'broken') return refuse(502, 'The real service did not finish its response.', 'simulator')
  if (!bytes)
    return refuse(
      502,
      `The real service's response is longer than ${maxCheckedBytes.toLocaleString('en')} bytes, ` +
        `which is too long for the scenario "${scenarios}".`,
      'simulator',
    )
  const decoded = decodeBody(bytes, encoding, maxCheckedBytes)
  if (decoded.ok) return { ...head, headers: others, body: toBody(decoded.value, mediaType) }
  return refusals.control(
    `The real service's response ${decoded.error}, so the scenario "${scenarios}" cannot change it.`,
  )
}

/** Headers that belong to one connection (RFC 9110, 7.6.1) or to a proxy. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Headers that the proxy sets itself, or drops because it sends the request body decoded and in full. */
const replacedHeaders = new Set(['host', 'content-length', 'content-encoding', 'expect', 'authorization'])

/** The entry for this proxy in `Via` (RFC 9110, 7.6.3). */
const ownVia = '1.1 convsim'

/** For each header, a matcher for the simulator's items: preferences (RFC 7240), or members of `baggage`. */
const ownItems = new Map<string, (item: string) => boolean>([
  ['prefer', (item) => /^(code|example|seed)\s*(=|;|$)/i.test(item)],
  ['baggage', (item) => item.startsWith('convsim.')],
])

/**
 * Returns the header lines for a forwarded request. Drops headers of the client's connection, and the simulator's
 * controls (`X-Sim-...` headers, and its items in `Prefer` and `baggage`). `own`: headers to add,
 * replacing any client headers with the same names.
 */
function forwardRequestHeaders({ headers, rawHeaders }: SimRequest, own: Readonly<Record<string, string>>): string[] {
  const isDropped = createDropMatcher(headers['connection'])
  const pending = new Map(Object.entries(own).map(([name, value]) => [name.toLowerCase(), { name, value }]))
  const forwarded = mapLines(rawHeaders ?? Object.entries(headers).flat(), (name, value) => {
    const replaced = pending.get(name)
    pending.delete(name)
    if (replaced) return replaced.value
    return isDropped(name) || replacedHeaders.has(name) ? undefined : withoutOwnItems(name, value)
  })
  return [...forwarded, ...Array.from(pending.values(), Object.values<string>).flat(), 'Via', ownVia]
}

function withoutOwnItems(name: string, value: string): string | undefined {
  const isOwn = ownItems.get(name)
  if (!isOwn) return value
  const items = value.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '' && !isOwn(item)).join(', ') || undefined
}

/** Returns a function that matches simulator headers, connection headers, and headers that `Connection` lists. */
function createDropMatcher(connection = ''): (name: string) => boolean {
  const named = connection.split(',').map((name) => name.trim().toLowerCase())
  return (name) => connectionHeaders.has(name) || named.includes(name) || name.startsWith('x-sim-')
}

/**
 * Returns the headers of a response. Drops connection headers, and `X-Sim-...` headers since the proxy adds its own.
 * `rawHeaders`: the header lines to send; `cookies`: the `Set-Cookie` values; `length`: the `Content-Length`, if any.
 */
function forwardResponseHeaders({ headers: received, rawHeaders: lines }: IncomingMessage) {
  const { 'content-type': mediaType, 'content-length': length = '', 'set-cookie': cookies = [], ...others } = received
  const isDropped = createDropMatcher(received.connection)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(others))
    if (!isDropped(name) && typeof value === 'string') headers[name] = value // only `Set-Cookie` is a list
  headers['via'] = headers['via'] === undefined ? ownVia : `${headers['via']}, ${ownVia}`
  const rawHeaders = [...mapLines(lines, (name, value) => (isDropped(name) ? undefined : value)), 'Via', ownVia]
  return { headers, rawHeaders, cookies, mediaType, length: /^\d{1,15}$/.test(length) ? Number(length) : undefined }
}
