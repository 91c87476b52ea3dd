import { redactHeaders, redactText } from '../../base/redaction/redact.ts'
import { findOwnToken } from '../../base/redaction/redact-token.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { describeFailure } from './describe-network-error.ts'
import type { UpstreamAccess } from './parse-upstream.ts'
import type { TrafficProblem, TrafficResponse, TrafficSample } from './traffic/sample.ts'

export interface UpstreamRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query below the base path: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly body: string | undefined
}

const maxBodyBytes = 16 * 1024 * 1024

const maxRedirects = 5

/** Sends a request once. Redirects are followed within the origin only, so that no other host gets the token. */
export async function send(access: UpstreamAccess, request: UpstreamRequest): Promise<TrafficSample> {
  const { origin, basePath, token, timeoutMs } = access
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': `convsim/${version}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
  }
  const own = findOwnToken(headers)
  const response = await followRedirects(access, request, headers).catch((error: unknown) =>
    describeFailure(error, origin, timeoutMs),
  )
  return {
    method: request.method,
    target: redactText(basePath + request.target, own),
    requestBody: request.body === undefined ? undefined : Buffer.from(request.body),
    response:
      'problem' in response
        ? { ...response, sentence: redactText(response.sentence, own) }
        : { ...response, headers: redactHeaders(response.headers, own) },
  }
}

async function followRedirects(
  { origin, basePath, timeoutMs }: UpstreamAccess,
  { method, target, body }: UpstreamRequest,
  headers: Readonly<Record<string, string>>,
): Promise<TrafficResponse | TrafficProblem> {
  const signal = AbortSignal.timeout(timeoutMs)
  const fail = (sentence: string): TrafficProblem => ({ problem: 'redirect', sentence })
  let url = new URL(origin + basePath + target)
  for (let count = 0; count <= maxRedirects; count += 1) {
    const init = { method, headers, signal, redirect: 'manual' } as const
    const response = await fetch(url.href, body === undefined ? init : { ...init, body })
    const next = findRedirect(response.status, response.headers.get('location') ?? undefined, url.href)
    if (next === undefined) return readResponse(response)
    await response.body?.cancel()
    if (next.origin !== origin)
      return fail(
        `The service redirects to ${next.origin}, which was not followed. Give that address if it is the service.`,
      )
    // A write is not repeated at another place: its body may be meant for this one only.
    if (method !== 'GET') return fail(`The service redirects a ${method}, which was not followed.`)
    url = next
  }
  return fail(`The service redirects more than ${maxRedirects} times.`)
}

/** Returns the address to which a response redirects, if any. `url`: the address of the request. */
export function findRedirect(status: number, location: string | undefined, url: string): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}

async function readResponse({ status, headers, body }: Response): Promise<TrafficResponse | TrafficProblem> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxBodyBytes) return tooLarge
    chunks.push(chunk)
  }
  return { status, headers: Object.fromEntries(headers), body: Buffer.concat(chunks) }
}

const tooLarge: TrafficProblem = {
  problem: 'too-large',
  sentence:
    `The response is larger than ${maxBodyBytes / 1024 / 1024} MiB, which is the most that is read. ` +
    'Ask for less: another id, a shorter period.',
}
