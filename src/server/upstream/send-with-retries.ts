import { deriveChance } from '../../base/core/seeded.ts'
import { readPause } from './read-pause.ts'
import { send, type UpstreamAccess, type UpstreamRequest } from './send.ts'
import type { TrafficSample } from './traffic/sample.ts'

/** The means of waiting between requests. */
interface Waiting {
  /** Resolves after some milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>
  /** The longest wait that a service may ask for, milliseconds. */
  readonly maxPauseMs: number
}

/** The end of a request with its retries. */
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
 * Sends a request, and again after a failure that may pass: later each time, at random, and when the service allows.
 * @param isRepeatable false for a write that would be done twice; it is repeated only if it was refused (429)
 */
export async function sendWithRetries(
  access: UpstreamAccess,
  request: UpstreamRequest,
  isRepeatable: boolean,
  { sleep, maxPauseMs }: Waiting,
): Promise<SentRequest> {
  const samples: TrafficSample[] = []
  for (let attempt = 1; ; attempt += 1) {
    const sample = await send(access, request)
    const { response } = sample
    const pauseMs = 'problem' in response ? 0 : readPause(response.status, response.headers, access.now())
    const isLast = attempt === maxAttempts || pauseMs > maxPauseMs || !mayPass(sample, isRepeatable)
    if (isLast || !('problem' in response)) samples.push(sample)
    if (isLast) return { samples, pauseMs }
    await sleep(Math.max(pauseMs, computeBackOff(attempt, request.target, access.now())))
  }
}

/** Returns true for a failure after which the same request may succeed, and does nothing twice. */
function mayPass({ response }: TrafficSample, isRepeatable: boolean): boolean {
  if ('problem' in response)
    return isRepeatable && (response.problem === 'time-out' || response.problem === 'connection')
  return response.status === 429 || (isRepeatable && [500, 502, 503, 504].includes(response.status))
}

/** Returns the wait before a retry: half of it is certain, so that many clients do not come back at the same moment. */
function computeBackOff(attempt: number, target: string, now: number): number {
  const full = backOffMs * 2 ** attempt
  return full / 2 + (full / 2) * deriveChance([target, attempt, now])
}
