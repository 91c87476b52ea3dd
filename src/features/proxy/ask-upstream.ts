import type { IncomingMessage } from 'node:http'
import { type CorsOrigins, isCorsOrigin } from '../../base/core/origins.ts'
import type { Result } from '../../base/core/result.ts'
import { readJson } from '../../base/core/strict-json.ts'
import type { Exchange, RequestStage } from '../../server/pipeline/exchange.ts'
import type { TrafficProblem } from '../../server/upstream/traffic/sample.ts'
import { type Body, encodedBody } from '../../service/exchange/body.ts'
import { refusals, refuse } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import { decodeResponseBody } from './decode-body.ts'
import type { ForwardedRequest, UpstreamClient } from './forward.ts'
import { forwardRequestHeaders, forwardResponseHeaders } from './forwarded-headers.ts'
import { createRelay, type RecordingRelay, readWhole } from './relay.ts'

/**
 * The most bytes of a response that are checked, and that a scenario can damage. With `maxCheckedValues` it bounds the
 * time for which other requests wait to less than 100 ms.
 */
export const maxCheckedBytes = 1024 * 1024

/** The most members and items of a response that are checked. */
export const maxCheckedValues = 25_000

/** The body of the real service's response to an exchange, with the copy of it that is checked and recorded. */
export const relays = new WeakMap<Exchange, RecordingRelay>()

/**
 * Asks the real service. It is the last stage and always replies: with the service's response, or why there is none.
 * `corsOrigins`: the origins of pages to which the edge grants CORS, in place of what the service grants to them.
 */
export function askUpstream(basePath: string, upstream: UpstreamClient, corsOrigins: CorsOrigins): RequestStage {
  return async function askUpstream(exchange): Promise<Reply> {
    const { body } = exchange.request
    if (body.kind === 'unreadable')
      return refuse(body.status, `${body.reason} The proxy did not pass it on.`, 'simulator')
    exchange.trace?.decisions.push(`The request goes on to the real service at ${upstream.target.origin}.`)
    const request = createUpstreamRequest(exchange, basePath, upstream)
    const clientGone = new AbortController()
    const endWatch = exchange.request.watchClient?.(() => clientGone.abort())
    try {
      const reply = await receiveResponse(exchange, await upstream.send(request, clientGone.signal))
      if (clientGone.signal.aborted) return refusals.clientGone()
      const { origin } = exchange.request.headers
      return origin !== undefined && isCorsOrigin(corsOrigins, origin) ? withoutCors(reply) : reply
    } finally {
      endWatch?.() // the delivery watches the client from now on
    }
  }
}

/** Removes the headers with which the real service grants pages of its own choice to read the response. */
function withoutCors(reply: Reply): Reply {
  const others = Object.entries(reply.headers).filter(([name]) => !name.startsWith('access-control-'))
  return { ...reply, headers: Object.fromEntries(others) }
}

/** Returns the request as it goes to the service: with the path of the service in place of the contract's base path. */
function createUpstreamRequest(
  exchange: Exchange,
  basePath: string,
  { target: { basePath: upstreamPath, token } }: UpstreamClient,
): ForwardedRequest {
  const { request, path } = exchange
  const isInBase = path === basePath || path.startsWith(`${basePath}/`)
  const target = upstreamPath !== '' && isInBase ? upstreamPath + path.slice(basePath.length) : path
  const headers = forwardRequestHeaders(request.headers, authorizationOf(exchange, token))
  // A damaged response is sent again, so it must come in an encoding that can be read.
  if (mustBeWhole(exchange)) headers['accept-encoding'] = 'identity'
  return {
    method: request.method,
    target: request.query === '' ? target : `${target}?${request.query}`,
    headers,
    body: request.body.kind === 'bytes' ? request.body.bytes : undefined,
  }
}

/** Returns the credential for the service: the environment's token, or the client's own without its sandbox. */
function authorizationOf({ request, bearer }: Exchange, token: string | undefined): string | undefined {
  if (token !== undefined) return `Bearer ${token}`
  const sent = request.headers['authorization']
  return bearer.ok && bearer.sandbox !== undefined ? `Bearer ${bearer.token}` : sent
}

/** Returns true if a scenario changes the response's body or its writing, for which it must be there as a whole. */
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
  const { headers, cookies, mediaType, length } = forwardResponseHeaders(response.headers)
  const relay = createRelay(response, { mediaType, length }, maxCheckedBytes)
  relays.set(exchange, relay)
  const status = response.statusCode ?? 502
  const head = { status, headers, origin: 'upstream', ...(cookies.length > 0 && { cookies }) } as const
  if (!mustBeWhole(exchange)) return { ...head, body: undefined, relay }
  const { 'content-encoding': encoding, ...others } = headers
  const bytes = await readWhole(relay, maxCheckedBytes)
  const scenarios = exchange.scenarios.map(({ text }) => text).join(', ')
  if (bytes === 'broken') return refuse(502, 'The real service broke its response off before its end.', 'simulator')
  if (bytes === 'too-large')
    return refuse(
      502,
      `The response of the real service is longer than ${maxCheckedBytes} bytes, ` +
        `too long for the scenario "${scenarios}".`,
      'simulator',
    )
  const decoded = decodeResponseBody(bytes, encoding, maxCheckedBytes)
  if (!decoded.ok)
    return refusals.control(
      `The response of the real service ${decoded.error}, so the scenario "${scenarios}" cannot change it.`,
    )
  return {
    ...head,
    headers: others,
    body: decoded.value.length === 0 ? undefined : toBody(decoded.value, mediaType),
  }
}

/** Returns a body of bytes, with its value if it is JSON and else its text. */
export function toBody(bytes: Uint8Array, mediaType: string | undefined): Body {
  const read = readJson(bytes, maxCheckedValues)
  const value = read.ok ? read.value : Buffer.from(bytes).toString()
  return encodedBody(bytes, mediaType ?? 'application/octet-stream', value)
}
