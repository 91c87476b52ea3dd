/*
 * Node's own client. `@stoplight/prism-http` reads each response whole before it passes it on, responds to a broken one
 * itself, knows neither time limits nor broken connections, and costs 0.8 s and 95 MB at the start.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { clearTimeout, setTimeout } from '../../base/core/timers.ts'
import { describeNetworkError, describeTimeOut } from './describe-network-error.ts'
import type { UpstreamAccess } from './parse-upstream.ts'
import type { TrafficProblem } from './traffic/sample.ts'

export interface UpstreamRequest {
  readonly method: string
  readonly target: string
  /** Names and values in turn, without `Host` and `Content-Length`. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
}

export interface UpstreamClient {
  /** The service. Its token, if any, replaces the client's. */
  readonly target: UpstreamAccess
  /** Sends a request, and resolves to the head of the response. Aborting `signal` ends both. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Result<IncomingMessage, TrafficProblem>>
  close(): void
}

/** The methods that may be sent twice (RFC 9110, 9.2.2), and therefore over a connection that may be closing. */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** The methods whose requests declare that they have no body. */
const withBody = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Creates the client of a real service. It connects at the first request. The time limit applies until the response
 * begins, and between two parts of its body.
 */
export function createUpstreamClient(target: UpstreamAccess): UpstreamClient {
  const { origin, timeoutMs } = target
  const { host } = new URL(origin)
  const { Agent, request } = origin.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  // A write lost on a closing connection may have been carried out, so it gets a new connection instead.
  const freshAgent = new Agent()

  const send = (asked: UpstreamRequest, signal: AbortSignal, isRetry = false): ReturnType<UpstreamClient['send']> =>
    new Promise((resolve) => {
      const { method, target: path, body } = asked
      const isRepeatable = idempotent.has(method)
      const length = body || withBody.has(method) ? ['Content-Length', String(Buffer.byteLength(body ?? ''))] : []
      const sent = request(origin, {
        method,
        path,
        headers: ['Host', host, ...asked.headers, ...length], // a list preserves repeated lines and the case of names
        agent: isRepeatable ? agent : freshAgent,
        timeout: timeoutMs,
        signal,
      })
      let received: IncomingMessage | undefined
      const giveUp = () => {
        resolve(failure(describeTimeOut(origin, timeoutMs)))
        sent.destroy(new Error(`nothing was received for ${timeoutMs} ms`))
      }
      const limit = setTimeout(giveUp, timeoutMs) // also for a head that arrives byte by byte
      const end = (problem: string) => {
        clearTimeout(limit)
        resolve(failure({ problem: 'connection', sentence: `The real service at ${origin} ${problem}.` }))
      }
      sent.on('upgrade', (received) => {
        received.destroy()
        end('changed the protocol by the status 101, which a proxy of HTTP cannot follow')
      })
      sent.on('close', () => end('closed the connection before it responded'))
      sent.on('response', (response) => {
        clearTimeout(limit)
        received = response
        response.on('error', () => undefined) // the reader of the body gets it
        resolve(success(response))
      })
      sent.on('timeout', () => {
        // If bytes are buffered, the client or a scenario is slow, not the service.
        if (received === undefined || received.readableLength === 0) giveUp()
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

export async function readWhole(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array

const decoders = new Map<string, Decode>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

export const tooLong = 'is too long when it is decoded'

/** Decodes a body by its `Content-Encoding`. The error ends the sentence "The body ...". */
export function decodeBody(bytes: Uint8Array, encoding = 'identity', maxBytes: number): Result<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which convsim cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    if (error instanceof RangeError) return failure(tooLong) // beyond `maxOutputLength`
    return failure(`cannot be decoded by its Content-Encoding "${name}": ${reasonOf(error)}`)
  }
}
