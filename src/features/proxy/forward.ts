/*
 * Node's own client. `@stoplight/prism-http` reads each response whole before it passes it on, responds to a broken one
 * itself, knows neither time limits nor broken connections, and costs 0.8 s and 95 MB at the start.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { failure, type Result, success } from '../../base/core/result.ts'
import { describeNetworkError, describeTimeOut } from '../../server/upstream/describe-network-error.ts'
import type { Upstream } from '../../server/upstream/parse-upstream.ts'
import type { TrafficProblem } from '../../server/upstream/traffic/sample.ts'

/** The real service of a proxy. */
export interface UpstreamTarget extends Pick<Upstream, 'origin' | 'basePath'> {
  /** The token that replaces the client's, or undefined to send the client's own. Never written anywhere. */
  readonly token: string | undefined
  /** The milliseconds that the service has until its response begins, and between two parts of its body. */
  readonly timeoutMs: number
}

/** A request as it goes to the real service. */
export interface ForwardedRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** The body, if the request has one. */
  readonly body: Uint8Array | undefined
}

/** The real service: sends requests, and ends its connections at the stop. */
export interface UpstreamClient {
  readonly target: UpstreamTarget
  /** Sends a request, and resolves with the head of the response. An abort of `clientGone` ends both. */
  send(request: ForwardedRequest, clientGone: AbortSignal): Promise<Result<IncomingMessage, TrafficProblem>>
  close(): void
}

/** The methods that may be sent twice (RFC 9110, 9.2.2), and so over a connection that may just be closing. */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** Creates the client of the real service. It connects at the first request. */
export function createUpstreamClient(target: UpstreamTarget): UpstreamClient {
  const isSecure = target.origin.startsWith('https:')
  const agent = isSecure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  // A write that was lost on a closing connection could have been carried out: it gets a new connection instead.
  const freshAgent = isSecure ? new https.Agent() : new http.Agent()
  const request = isSecure ? https.request : http.request

  const send = (asked: ForwardedRequest, signal: AbortSignal, isRetry = false): ReturnType<UpstreamClient['send']> =>
    new Promise((resolve) => {
      const { method, body } = asked
      const isRepeatable = idempotent.has(method)
      const length = body || !isRepeatable ? { 'content-length': String(body?.length ?? 0) } : {}
      const sent = request(target.origin, {
        method,
        path: asked.target,
        headers: { ...asked.headers, ...length },
        agent: isRepeatable ? agent : freshAgent,
        timeout: target.timeoutMs,
        signal,
      })
      let received: IncomingMessage | undefined
      sent.on('response', (response) => {
        received = response
        response.on('error', () => undefined) // whoever reads the body gets it; nobody else must
        resolve(success(response))
      })
      sent.on('timeout', () => {
        // Bytes that wait to be read are there: the client is slow, or a scenario delays them, not the service.
        if (received && received.readableLength > 0) return
        resolve(failure(describeTimeOut(target.origin, target.timeoutMs)))
        sent.destroy(new Error(`nothing was received for ${target.timeoutMs} ms`))
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !isRetry
        resolve(isStale ? send(asked, signal, true) : failure(describeNetworkError(error, target.origin)))
      })
      sent.end(body)
    })

  return {
    target,
    send: (asked, clientGone) => send(asked, clientGone),
    close() {
      agent.destroy()
      freshAgent.destroy()
    },
  }
}
