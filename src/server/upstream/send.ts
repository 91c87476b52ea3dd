import type { IncomingMessage } from 'node:http'
import { fromLatin1 } from '../../base/core/bytes.ts'
import { deriveChance } from '../../base/core/seeded.ts'
import { redactHeaders, redactText } from '../../base/redaction/redact.ts'
import { findOwnToken, redactToken } from '../../base/redaction/redact-token.ts'
import { readRetryAfter } from '../../service/exchange/rate-headers.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { decodeBody, readWhole, tooLong, type UpstreamClient, type UpstreamRequest } from './client.ts'
import { describeNetworkError } from './describe-network-error.ts'
import type { TrafficProblem, TrafficResponse, TrafficSample } from './traffic/sample.ts'

const maxBodyBytes = 16 * 1024 * 1024

const maxRedirects = 5

export interface JsonRequest {
  /** Upper case. */
  readonly method: string
  /** Path and query below the base path: `/models/ID/analytics?period=7d`. */
  readonly target: string
  readonly body: string | undefined
}

interface Waiting {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
  /** The longest wait that a service may ask for, milliseconds. */
  readonly maxPauseMs: number
}

const maxAttempts = 3

/** The wait before the first retry, milliseconds; each further one is twice as long. */
const backOffMs = 250

/**
 * Sends a request, and again after a transient failure: later each time, at random, and when the service allows.
 * @param isRepeatable false for a write that would be done twice; it is repeated only if it was refused (429)
 * @returns all attempts that were handled, and the last one; and the milliseconds that the last response asks to wait:
 * with more than `maxPauseMs`, no other request is sent now
 */
export async function sendWithRetries(
  client: UpstreamClient,
  request: JsonRequest,
  isRepeatable: boolean,
  { now, sleep, maxPauseMs }: Waiting,
) {
  const samples: TrafficSample[] = []
  for (let attempt = 1; ; attempt += 1) {
    const sample = await send(client, request)
    const { response } = sample
    const pauseMs = 'problem' in response ? 0 : readPause(response.status, response.headers, now())
    const isLast = attempt === maxAttempts || pauseMs > maxPauseMs || !isTransient(sample, isRepeatable)
    if (isLast || !('problem' in response)) samples.push(sample)
    if (isLast) return { samples, pauseMs }
    await sleep(Math.max(pauseMs, computeBackOff(attempt, request.target, now())))
  }
}

/** Returns true for a failure after which the same request may succeed, and does nothing twice. */
function isTransient({ response }: TrafficSample, isRepeatable: boolean): boolean {
  if ('problem' in response) return isRepeatable && ['time-out', 'connection'].includes(response.problem)
  return response.status === 429 || (isRepeatable && [500, 502, 503, 504].includes(response.status))
}

/** Returns the wait before a retry: half of it is certain, so that many clients do not come back at the same moment. */
function computeBackOff(attempt: number, target: string, now: number): number {
  const full = backOffMs * 2 ** attempt
  return full / 2 + (full / 2) * deriveChance([target, attempt, now])
}

/** Sends a request once. Redirects are followed within the origin only, so that no other host gets the token. */
async function send(client: UpstreamClient, { method, target: path, body }: JsonRequest): Promise<TrafficSample> {
  const { basePath, token, timeoutMs } = client.target
  const headers = {
    accept: 'application/json',
    'user-agent': `convsim/${version}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const own = findOwnToken(headers)
  const target = basePath + path
  const signal = AbortSignal.timeout(timeoutMs)
  const received = await followRedirects(
    client,
    { method, target, headers: Object.entries(headers).flat(), body },
    signal,
  )
  const isLate = 'problem' in received && (signal.aborted || received.problem === 'time-out')
  const response = isLate ? describeLate(timeoutMs) : received
  return {
    method,
    target: redactText(target, own),
    requestBody: body === undefined ? undefined : Buffer.from(body),
    response:
      'problem' in response
        ? { ...response, sentence: redactText(response.sentence, own) }
        : {
            ...response,
            headers: redactHeaders(response.headers, own),
            body: response.body && fromLatin1(redactToken(Buffer.from(response.body).toString('latin1'), own)),
          },
  }
}

async function followRedirects(
  client: UpstreamClient,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<TrafficResponse | TrafficProblem> {
  const { origin } = client.target
  const fail = (sentence: string): TrafficProblem => ({ problem: 'redirect', sentence })
  let { target } = request
  for (let count = 0; count <= maxRedirects; count += 1) {
    const sent = await client.send({ ...request, target }, signal)
    if (!sent.ok) return sent.error
    const { statusCode = 0, headers } = sent.value
    const next = findRedirect(statusCode, headers.location, origin + target)
    if (next === undefined) return readResponse(sent.value).catch((error: Error) => describeNetworkError(error, origin))
    sent.value.destroy()
    if (next.origin !== origin)
      return fail(
        `The service redirects to ${next.origin}, which was not followed. Give that address if it is the service.`,
      )
    // A write is not repeated at another place: its body may be meant for this one only.
    if (request.method !== 'GET') return fail(`The service redirects a ${request.method}, which was not followed.`)
    target = next.pathname + next.search
  }
  return fail(`The service redirects more than ${maxRedirects} times.`)
}

/** Returns the address to which a response redirects, if any. `url`: the address of the request. */
export function findRedirect(status: number, location: string | undefined, url: string): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}

async function readResponse(response: IncomingMessage): Promise<TrafficResponse | TrafficProblem> {
  const { statusCode: status = 0, headers } = response
  const bytes = await readWhole(response, maxBodyBytes)
  const body = bytes && decodeBody(bytes, headers['content-encoding'], maxBodyBytes)
  if (!body || (!body.ok && body.error === tooLong)) return tooLarge
  if (!body.ok) return { problem: 'connection', sentence: `The body of the response ${body.error}.` }
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { status, headers: Object.fromEntries(texts), body: body.value }
}

const tooLarge: TrafficProblem = {
  problem: 'too-large',
  sentence:
    `The response is larger than ${maxBodyBytes / 1024 / 1024} MiB, which is the most that is read. ` +
    'Ask for less: another id, a shorter period.',
}

const describeLate = (timeoutMs: number): TrafficProblem => ({
  problem: 'time-out',
  sentence: `No whole response came within ${timeoutMs} ms. A larger --timeout waits longer.`,
})

type Headers = Readonly<Record<string, string>>

/** Returns the milliseconds that a response asks to wait, 0 if none. `now` is in epoch milliseconds. */
export function readPause(status: number, headers: Headers, now: number): number {
  const isRefused = status === 429 || status === 503
  const retryAfter = isRefused ? readRetryAfter(headers, now)?.ms : undefined
  return retryAfter ?? readRateLimit(headers) ?? readOlderRateLimit(headers, now) ?? 0
}

/** Reads `RateLimit: "analyses";r=0;t=12`: nothing is left for another 12 seconds. */
function readRateLimit({ ratelimit: text = '' }: Headers): number | undefined {
  const [, seconds] = /;\s*t=(\d{1,9})/.exec(text) ?? []
  return /;\s*r=0(;|,|\s|$)/.test(text) && seconds !== undefined ? Number(seconds) * 1000 : undefined
}

/** Reads `X-RateLimit-Remaining: 0` with `X-RateLimit-Reset`, in seconds from now on or since 1970. */
function readOlderRateLimit(headers: Headers, now: number): number | undefined {
  const reset = readNumber(headers['x-ratelimit-reset'])
  if (readNumber(headers['x-ratelimit-remaining']) !== 0 || reset === undefined) return undefined
  const isEpoch = reset > 1_000_000_000
  return Math.max(0, isEpoch ? reset * 1000 - now : reset * 1000)
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined
}
