import { redactHeaders, redactText } from '../../base/redaction/redact.ts'
import { findOwnToken } from '../../base/redaction/redact-token.ts'
import { describeFailure } from './describe-network-error.ts'
import type { Upstream } from './parse-upstream.ts'
import type { TrafficProblem, TrafficResponse, TrafficSample } from './traffic/sample.ts'

export interface UpstreamRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query below the base path: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly body: string | undefined
}

/** The real service as requests reach it. */
export interface UpstreamAccess {
  readonly upstream: Upstream
  /** The bearer token, if any. */
  readonly token: string | undefined
  /** The longest time until the end of a response, milliseconds. */
  readonly timeoutMs: number
  /** The name and version that requests carry as their `User-Agent`. */
  readonly userAgent: string
  /** Returns epoch milliseconds. */
  readonly now: () => number
}

/** The largest body of a response, in bytes. */
const maxBodyBytes = 16 * 1024 * 1024

/** The most redirects of a request within the service. */
const maxRedirects = 5

/** Sends a request once. Redirects are followed within the origin only, so that no other host gets the token. */
export async function send(access: UpstreamAccess, request: UpstreamRequest): Promise<TrafficSample> {
  const { upstream, token, timeoutMs, userAgent } = access
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
  }
  const own = findOwnToken(headers)
  const response = await followRedirects(access, request, headers).catch((error: unknown) =>
    describeFailure(error, upstream.origin, timeoutMs),
  )
  return {
    method: request.method,
    target: redactText(upstream.basePath + request.target, own),
    requestBody: request.body === undefined ? undefined : Buffer.from(request.body),
    response:
      'problem' in response
        ? { ...response, sentence: redactText(response.sentence, own) }
        : { ...response, headers: redactHeaders(response.headers, own) },
  }
}

async function followRedirects(
  { upstream, timeoutMs }: UpstreamAccess,
  { method, target, body }: UpstreamRequest,
  headers: Readonly<Record<string, string>>,
): Promise<TrafficResponse | TrafficProblem> {
  const signal = AbortSignal.timeout(timeoutMs)
  let url = new URL(upstream.origin + upstream.basePath + target)
  for (let count = 0; count <= maxRedirects; count += 1) {
    const init = { method, headers, signal, redirect: 'manual' } as const
    const response = await fetch(url.href, body === undefined ? init : { ...init, body })
    const next = findRedirect(response.status, response.headers.get('location') ?? undefined, url.href)
    if (next === undefined) return readResponse(response)
    await response.body?.cancel()
    if (next.origin !== upstream.origin)
      return {
        problem: 'redirect',
        sentence:
          `The service redirects to ${next.origin}, which was not followed. ` +
          'Give that address if it is the service.',
      }
    // A write is not repeated at another place: its body may be meant for this one only.
    if (method !== 'GET')
      return { problem: 'redirect', sentence: `The service redirects a ${method}, which was not followed.` }
    url = next
  }
  return { problem: 'redirect', sentence: `The service redirects more than ${maxRedirects} times.` }
}

/** Returns the address to which a response redirects, if any. `url`: the address that was asked. */
export function findRedirect(status: number, location: string | undefined, url: string): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}

async function readResponse(response: Response): Promise<TrafficResponse | TrafficProblem> {
  const headers = Object.fromEntries(response.headers)
  const body = await readBoundedBody(response)
  if (body) return { status: response.status, headers, body }
  return {
    problem: 'too-large',
    sentence:
      `The response is larger than ${maxBodyBytes / 1024 / 1024} MiB, which is the most that is read. ` +
      'Ask for less: another id, a shorter period.',
  }
}

/** Reads a body; undefined where it is larger than `maxBodyBytes`. */
async function readBoundedBody({ body }: Response): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
