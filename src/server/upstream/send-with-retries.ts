import { deriveChance } from '../../base/core/seeded.ts'
import type { UpstreamAccess } from './parse-upstream.ts'
import { send, type UpstreamRequest } from './send.ts'
import type { TrafficSample } from './traffic/sample.ts'

/** The means of waiting between requests. `now` returns epoch milliseconds. */
interface Waiting {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
  /** The longest wait that a service may ask for, milliseconds. */
  readonly maxPauseMs: number
}

interface SentRequest {
  /** All attempts that were handled, and the last one. */
  readonly samples: readonly TrafficSample[]
  /**
   * The milliseconds that the last response asks to wait; with more than `maxPauseMs`, no other request is sent now.
   */
  readonly pauseMs: number
}

const maxAttempts = 3

/** The wait before the first retry, milliseconds; each further one is twice as long. */
const backOffMs = 250

/**
 * Sends a request, and again after a transient failure: later each time, at random, and when the service allows.
 * @param isRepeatable false for a write that would be done twice; it is repeated only if it was refused (429)
 */
export async function sendWithRetries(
  access: UpstreamAccess,
  request: UpstreamRequest,
  isRepeatable: boolean,
  { now, sleep, maxPauseMs }: Waiting,
): Promise<SentRequest> {
  const samples: TrafficSample[] = []
  for (let attempt = 1; ; attempt += 1) {
    const sample = await send(access, request)
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

type Headers = Readonly<Record<string, string>>

/** Returns the milliseconds that a response asks to wait, 0 if none. `now` is in epoch milliseconds. */
export function readPause(status: number, headers: Headers, now: number): number {
  const isRefused = status === 429 || status === 503
  const retryAfter = isRefused ? readRetryAfter(headers, now) : undefined
  return retryAfter ?? readRateLimit(headers) ?? readOlderRateLimit(headers, now) ?? 0
}

function readRetryAfter(headers: Headers, now: number): number | undefined {
  const precise = readNumber(headers['retry-after-ms'])
  if (precise !== undefined) return precise
  const text = headers['retry-after'] ?? ''
  const seconds = readNumber(text)
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(text)
  return Number.isFinite(date) ? Math.max(0, date - now) : undefined
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
