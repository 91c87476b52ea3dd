import type { IncomingMessage } from 'node:http'
import { fromLatin1 } from '../../base/core/text.ts'
import { redactHeaders, redactText } from '../../base/redaction/redact.ts'
import { findOwnToken, redactToken } from '../../base/redaction/redact-token.ts'
import { readRetryAfter } from '../../service/exchange/rate-headers.ts'
import { version } from '../../service/fixtures/bundled.ts'
import { decodeBody, readWhole, tooLong, type UpstreamClient, type UpstreamRequest } from './client.ts'
import { describeNetworkError, describeTimeout } from './describe-network-error.ts'
import type { TrafficProblem, TrafficResponse, TrafficSample } from './traffic/sample.ts'

const maxBodyBytes = 16 * 1024 * 1024

type JsonRequest = Omit<UpstreamRequest, 'headers'>

const maxAttempts = 3

/** The minimum wait before the first retry, in milliseconds. It doubles for each further retry. */
const backOffMs = 500

/**
 * Sends a request. Retries transient failures with back-off, but gives up if it must wait longer than `maxPauseMs`.
 * @param isRepeatable false for a write that must not run twice; such a write is retried only after a 429
 * @returns `samples` (the last attempt, and each earlier attempt that got a response) and `pauseMs` (the wait that the
 *   last response requested)
 */
export async function sendWithRetries(
  client: UpstreamClient,
  request: JsonRequest,
  isRepeatable: boolean,
  { now, sleep, maxPauseMs }: { now: () => number; sleep: (ms: number) => Promise<unknown>; maxPauseMs: number },
) {
  const samples: TrafficSample[] = []
  for (let attempt = 1; ; attempt += 1) {
    const sample = await send(client, request)
    const { response } = sample
    const pauseMs = 'problem' in response ? 0 : readPause(response.status, response.headers, now())
    const isLast = attempt === maxAttempts || pauseMs > maxPauseMs || !isTransient(sample, isRepeatable)
    if (isLast || !('problem' in response)) samples.push(sample)
    if (isLast) return { samples, pauseMs }
    await sleep(Math.max(pauseMs, backOffMs * 2 ** (attempt - 1)))
  }
}

/** Returns true for a failure after which a retry is safe and may succeed. */
function isTransient({ response }: TrafficSample, isRepeatable: boolean): boolean {
  if ('problem' in response) return isRepeatable && ['time-out', 'connection'].includes(response.problem)
  return response.status === 429 || (isRepeatable && [500, 502, 503, 504].includes(response.status))
}

/** Makes one attempt. Redirects are not followed, so that the token is not sent to a different host. */
async function send(client: UpstreamClient, { method, target: path, body }: JsonRequest): Promise<TrafficSample> {
  const { origin, basePath, token, timeoutMs } = client.target
  const headers = {
    accept: 'application/json',
    'user-agent': `convsim/${version}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const own = findOwnToken(headers)
  const target = basePath + path
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = await client.send({ method, target, headers: Object.entries(headers).flat(), body }, signal)
  const received = sent.ok
    ? await readResponse(sent.value).catch((error: Error) => describeNetworkError(error, origin))
    : sent.error
  const isLate = 'problem' in received && (signal.aborted || received.problem === 'time-out')
  const response = isLate ? describeTimeout(origin, timeoutMs, '--timeout') : received
  return {
    method,
    target: redactText(target, own),
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

async function readResponse(response: IncomingMessage): Promise<TrafficResponse | TrafficProblem> {
  const { statusCode: status = 0, headers } = response
  const bytes = await readWhole(response, maxBodyBytes)
  const body = bytes && decodeBody(bytes, headers['content-encoding'], maxBodyBytes)
  if (!body || (!body.ok && body.error === tooLong)) return tooLarge
  if (!body.ok) return { problem: 'connection', sentence: `The body of the response ${body.error}.` }
  const lines = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { status, headers: Object.fromEntries(lines), body: body.value }
}

const tooLarge: TrafficProblem = {
  problem: 'too-large',
  sentence:
    `The response is larger than the limit of ${maxBodyBytes / 1024 / 1024} MiB. ` +
    'Request less data, for example with another ID or a shorter period.',
}

export function readPause(status: number, headers: Readonly<Record<string, string>>, now: number): number {
  return status === 429 || status === 503 ? (readRetryAfter(headers, now)?.ms ?? 0) : 0
}
