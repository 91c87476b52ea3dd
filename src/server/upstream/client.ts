/*
 * This client uses `node:http`, not the proxy in `@stoplight/prism-http`, which buffers each response, replaces broken
 * responses with its own, handles neither timeouts nor broken connections, and takes 0.8 s and 95 MB at startup.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { failure, type Result, reasonOf, success } from '../../base/core/result.ts'
import { clearTimeout, setTimeout } from '../../base/core/timers.ts'
import { describeNetworkError, describeTimeout } from './describe-network-error.ts'
import type { UpstreamAccess } from './parse-upstream.ts'
import type { TrafficProblem } from './traffic/sample.ts'

export interface UpstreamRequest {
  readonly method: string
  readonly target: string
  /** Alternating names and values, without `Host` and `Content-Length`. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | undefined
}

export interface UpstreamClient {
  /** The real service. In a proxy, `token`, if set, replaces the token that the proxy's client sent. */
  readonly target: UpstreamAccess
  /** Sends a request. Resolves when the response head arrives, or on failure. `signal` aborts the exchange. */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Result<IncomingMessage, TrafficProblem>>
  close(): void
}

/** The methods whose requests may be sent twice (RFC 9110, 9.2.2) and can thus use a connection that may be closing. */
const idempotentMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

/** The methods that need a `Content-Length` even without a body. */
const bodyMethods = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Creates a client for a real service. The timeout applies to the time until the head of the response has arrived, and
 * to each pause in the body of the response.
 */
export function createUpstreamClient(target: UpstreamAccess): UpstreamClient {
  const { origin, timeoutMs } = target
  const { host } = new URL(origin)
  const { Agent, request } = origin.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  // A request that must not be sent twice uses a new connection, since the server might be closing an idle one.
  const freshAgent = new Agent()

  const send = (outgoing: UpstreamRequest, signal: AbortSignal, isRetry = false): ReturnType<UpstreamClient['send']> =>
    new Promise((resolve) => {
      const { method, target: path, body } = outgoing
      const isRepeatable = idempotentMethods.has(method)
      const length = body || bodyMethods.has(method) ? ['Content-Length', String(Buffer.byteLength(body ?? ''))] : []
      const sent = request(origin, {
        method,
        path,
        headers: ['Host', host, ...outgoing.headers, ...length], // a list keeps repeated headers and the case of names
        agent: isRepeatable ? agent : freshAgent,
        timeout: timeoutMs,
        signal,
      })
      let received: IncomingMessage | undefined
      const giveUp = () => {
        resolve(failure(describeTimeout(origin, timeoutMs)))
        sent.destroy(new Error(`nothing was received for ${timeoutMs} ms`))
      }
      const headTimer = setTimeout(giveUp, timeoutMs) // applies even if the head arrives byte by byte
      const fail = (problem: string) => {
        clearTimeout(headTimer)
        resolve(failure({ problem: 'connection', sentence: `The real service at ${origin} ${problem}.` }))
      }
      sent.on('upgrade', (response) => {
        response.destroy()
        fail('switched protocols (status 101), which convsim does not support')
      })
      sent.on('close', () => fail('closed the connection before it responded'))
      sent.on('response', (response) => {
        clearTimeout(headTimer)
        received = response
        response.on('error', () => undefined) // the reader of the body also gets the error
        resolve(success(response))
      })
      sent.on('timeout', () => {
        // If bytes are buffered, the proxy's client or a scenario is slow, not the service.
        if (received === undefined || received.readableLength === 0) giveUp()
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !isRetry
        resolve(isStale ? send(outgoing, signal, true) : failure(describeNetworkError(error, origin)))
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

/** Returns the whole body, or undefined if it is longer than `maxBytes`. */
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

export const tooLong = 'is too long when decoded'

/** Decodes a body according to its `Content-Encoding`. The error completes the sentence "The body ...". */
export function decodeBody(bytes: Uint8Array, encoding = 'identity', maxBytes: number): Result<Uint8Array> {
  const name = encoding.trim().toLowerCase()
  const decode = decoders.get(name)
  if (!decode) return failure(`has the Content-Encoding "${name.slice(0, 40)}", which convsim cannot read`)
  try {
    return success(decode(bytes, { maxOutputLength: maxBytes }))
  } catch (error) {
    if (error instanceof RangeError) return failure(tooLong) // `maxOutputLength` was exceeded
    return failure(`cannot be decoded with the Content-Encoding "${name}": ${reasonOf(error)}`)
  }
}
