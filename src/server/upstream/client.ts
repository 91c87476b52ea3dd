/*
 * Node's own client. `@stoplight/prism-http` reads each response whole before it passes it on, responds to a broken one
 * itself, knows neither time limits nor broken connections, and costs 0.8 s and 95 MB at the start.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { failure, type Result, success } from '../../base/core/result.ts'
import { describeNetworkError, describeTimeOut } from './describe-network-error.ts'
import type { UpstreamAccess } from './parse-upstream.ts'
import type { TrafficProblem } from './traffic/sample.ts'

export interface UpstreamRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

export interface UpstreamClient {
  /** The service. Its token, if any, replaces that of the client. */
  readonly target: UpstreamAccess
  /** Sends a request, and resolves with the head of the response. An abort of `signal` ends both. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Result<IncomingMessage, TrafficProblem>>
  close(): void
}

/** The methods that may be sent twice (RFC 9110, 9.2.2), and so over a connection that may just be closing. */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/**
 * Creates the client of a real service. It connects at the first request. The time limit holds until the response
 * begins, and between two parts of its body.
 */
export function createUpstreamClient(target: UpstreamAccess): UpstreamClient {
  const { origin, timeoutMs } = target
  const { Agent, request } = origin.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  // A write that was lost on a closing connection could have been carried out: it gets a new connection instead.
  const freshAgent = new Agent()

  const send = (asked: UpstreamRequest, signal: AbortSignal, isRetry = false): ReturnType<UpstreamClient['send']> =>
    new Promise((resolve) => {
      const { method, target: path, body } = asked
      const isRepeatable = idempotent.has(method)
      const length = body || !isRepeatable ? { 'content-length': String(Buffer.byteLength(body ?? '')) } : {}
      const sent = request(origin, {
        method,
        path,
        headers: { ...asked.headers, ...length },
        agent: isRepeatable ? agent : freshAgent,
        timeout: timeoutMs,
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
        resolve(failure(describeTimeOut(origin, timeoutMs)))
        sent.destroy(new Error(`nothing was received for ${timeoutMs} ms`))
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !isRetry
        resolve(isStale ? send(asked, signal, true) : failure(describeNetworkError(error, origin)))
      })
      sent.end(body)
    })

  return {
    target,
    send,
    close() {
      agent.destroy()
      freshAgent.destroy()
    },
  }
}
